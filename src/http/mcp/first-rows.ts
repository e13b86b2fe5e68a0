import { isSafeNumber } from 'lossless-json';

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

/** Where a number can be that JSON programs round: so many digits it has at least. It can be a part of a text, too. */
const LONG_NUMBERS = /-?[\d.]{16,}(?:e[-+]?\d+)?/gi;
/** The same outside texts; a text is matched as a whole. */
const TEXTS_AND_LONG_NUMBERS = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${LONG_NUMBERS.source}`, 'gi');

/**
 * Parses rows. Numbers that JSON programs would round become strings. The built-in parser takes a third of the time of a
 * lossless one, and averages have long numbers that are exact.
 */
function parseRows(text: string): readonly unknown[] {
  const isExact = (text.match(LONG_NUMBERS) ?? []).every(isExactNumber);
  return JSON.parse(
    isExact ? text : text.replace(TEXTS_AND_LONG_NUMBERS, quoteRounded),
  ) as readonly unknown[];
}

const quoteRounded = (token: string): string =>
  token.startsWith('"') || isExactNumber(token) ? token : `"${token}"`;

/** Whether a double has all digits of a number. ClickHouse writes nothing but doubles with an exponent. */
function isExactNumber(number: string): boolean {
  return String(Number(number)) === number || /e/i.test(number) || isSafeNumber(number);
}
