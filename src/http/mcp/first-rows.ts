import { isSafeNumber, parse } from 'lossless-json';

import { RESULT_END, RESULT_START, ROW_SEPARATOR } from '../../formats/template-format.js';

/** The first rows of a result. */
export interface FirstRows {
  readonly rows: readonly unknown[];
  /** Whether further rows would exceed the bytes. */
  readonly isCutByBytes: boolean;
}

const START = Buffer.byteLength(RESULT_START);
const END = Buffer.byteLength(RESULT_END);

/**
 * The first rows of a JSON body. Only these rows are parsed: the body can have a hundred megabytes.
 *
 * @param body `{"result":[…]}`, one row a line.
 * @param maxBytes of all rows together.
 */
export function firstRows(body: Buffer, maxRows: number, maxBytes: number): FirstRows {
  let end = START;
  let isCutByBytes = false;
  for (let rows = 0; rows < maxRows && end < body.length - END; rows += 1) {
    const next = endOfRow(body, rows === 0 ? end : end + ROW_SEPARATOR.length);
    isCutByBytes = next - START > maxBytes;
    if (isCutByBytes) break;
    end = next;
  }
  return { rows: parseRows(`[${body.toString('utf8', START, end)}]`), isCutByBytes };
}

/** Where the row that begins at a byte ends. */
function endOfRow(body: Buffer, start: number): number {
  const lineFeed = body.indexOf('\n', start);
  return lineFeed === -1 ? body.length - END : lineFeed + 1 - ROW_SEPARATOR.length;
}

/** So many characters must a number have that a double cannot hold. */
const LONG = /[\d.]{16}/;

/** Parses rows. Numbers that JSON programs would round become strings. */
function parseRows(text: string): readonly unknown[] {
  if (!LONG.test(text)) return JSON.parse(text) as readonly unknown[];
  return parse(text, undefined, {
    parseNumber: (number) => (isSafeNumber(number) ? Number(number) : number),
    // Metadata is text, which can have a name twice.
    onDuplicateKey: ({ newValue }) => newValue,
  }) as readonly unknown[];
}
