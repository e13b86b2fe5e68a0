import { brokenResponse } from './broken-response.js';
import type { CutResult } from './format.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from './template-format.js';

const START = Buffer.from(RESULT_START);
const END = Buffer.from(RESULT_END);
const SEPARATOR = Buffer.from(ROW_SEPARATOR);
const LINE_FEED = 0x0a;

/**
 * Proves that a body of {@link templateFormat} is complete, and cuts its bytes to the row cap; rows are never parsed.
 *
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the start or the end of the body is missing.
 */
export function cutResult(body: Buffer, rowCap: number): CutResult {
  const cut = cutRows(body, rowCap);
  return cut.truncated ? { ...cut, body: Buffer.concat([START, cut.body, END]) } : { ...cut, body };
}

/**
 * Like {@link cutResult}, but the returned body has only the rows and their separators.
 *
 * @param separator the text between two rows; ends with the line feed.
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN
 */
export function cutRows(body: Buffer, rowCap: number, separator = ROW_SEPARATOR): CutResult {
  const isComplete =
    body.length >= START.length + END.length &&
    body.subarray(0, START.length).equals(START) &&
    body.subarray(-END.length).equals(END);
  if (!isComplete) {
    throw brokenResponse(`a body of ${body.length} bytes that is not ${RESULT_START}…${RESULT_END}`);
  }
  const isEmpty = body.length === START.length + END.length;
  const separators = positionsOf(LINE_FEED, body);
  const rowsReceived = isEmpty ? 0 : separators.length + 1;
  const truncated = rowsReceived > rowCap;
  const end = truncated
    ? (separators[rowCap - 1] ?? body.length) + 1 - separator.length
    : body.length - END.length;
  return {
    body: body.subarray(START.length, end),
    rowCount: truncated ? rowCap : rowsReceived,
    rowsReceived,
    truncated,
  };
}

/** Joins complete bodies: one body with the rows of all. */
export function joinResults(bodies: readonly Buffer[]): Buffer {
  const rows = bodies
    .map((body) => body.subarray(START.length, -END.length))
    .filter(({ length }) => length > 0)
    .flatMap((of, index) => (index === 0 ? [of] : [SEPARATOR, of]));
  return Buffer.concat([START, ...rows, END]);
}

function positionsOf(byte: number, buffer: Buffer): readonly number[] {
  const positions: number[] = [];
  for (let at = buffer.indexOf(byte); at !== -1; at = buffer.indexOf(byte, at + 1)) positions.push(at);
  return positions;
}
