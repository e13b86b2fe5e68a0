import { Failure } from '../errors.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from './result-format.js';

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
  const whole =
    body.length >= START.length + END.length &&
    body.subarray(0, START.length).equals(START) &&
    body.subarray(-END.length).equals(END);
  if (!whole) {
    throw new Failure('CLICKHOUSE_ANSWER_BROKEN', 'The answer of ClickHouse was not complete. Try again.', {
      diagnosis: `a body of ${body.length} bytes that is not ${RESULT_START}…${RESULT_END}`,
    });
  }
  const empty = body.length === START.length + END.length;
  const separators = positionsOf(LINE_FEED, body);
  const rowsReceived = empty ? 0 : separators.length + 1;
  if (rowsReceived <= rowCap) return { body, rowCount: rowsReceived, rowsReceived, truncated: false };
  const lineFeed = separators[rowCap - 1] ?? body.length;
  const kept = body.subarray(0, lineFeed + 1 - ROW_SEPARATOR.length);
  return { body: Buffer.concat([kept, END]), rowCount: rowCap, rowsReceived, truncated: true };
}

function positionsOf(byte: number, buffer: Buffer): readonly number[] {
  const positions: number[] = [];
  for (let at = buffer.indexOf(byte); at !== -1; at = buffer.indexOf(byte, at + 1)) positions.push(at);
  return positions;
}
