import { brokenResponse } from './broken-response.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from './template-format.js';

export interface CutResult {
  readonly body: Buffer;
  readonly rowCount: number;
  readonly rowsReceived: number;
  readonly truncated: boolean;
}

const START = Buffer.from(RESULT_START);
const END = Buffer.from(RESULT_END);
const LINE_FEED = 0x0a;

/**
 * Checks that a body is whole and cuts it to the row cap, on its bytes: rows are never parsed.
 *
 * @param body as {@link ROW_SEPARATOR} and the rest of the result format have it.
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the body does not begin and end as it should.
 */
export function cutResult(body: Buffer, rowCap: number): CutResult {
  const cut = cutRows(body, rowCap);
  return cut.truncated ? { ...cut, body: Buffer.concat([START, cut.body, END]) } : { ...cut, body };
}

/**
 * The same without what stands around the rows: the body of the result is the rows alone, and what is between them.
 *
 * @param separator of two rows; ends with the line feed.
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN
 */
export function cutRows(body: Buffer, rowCap: number, separator = ROW_SEPARATOR): CutResult {
  const whole =
    body.length >= START.length + END.length &&
    body.subarray(0, START.length).equals(START) &&
    body.subarray(-END.length).equals(END);
  if (!whole) {
    throw brokenResponse(`a body of ${body.length} bytes that is not ${RESULT_START}…${RESULT_END}`);
  }
  const empty = body.length === START.length + END.length;
  const separators = positionsOf(LINE_FEED, body);
  const rowsReceived = empty ? 0 : separators.length + 1;
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

function positionsOf(byte: number, buffer: Buffer): readonly number[] {
  const positions: number[] = [];
  for (let at = buffer.indexOf(byte); at !== -1; at = buffer.indexOf(byte, at + 1)) positions.push(at);
  return positions;
}
