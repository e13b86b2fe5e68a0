import { Failure } from '../../errors.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from '../../formats/template-format.js';

/** The first rows of a result. */
export interface FirstRows {
  readonly rows: readonly unknown[];
  /** Whether further rows would exceed the maximum bytes. */
  readonly isCutByBytes: boolean;
}

const START = Buffer.byteLength(RESULT_START);
const END = Buffer.byteLength(RESULT_END);

/**
 * The first rows of a JSON body. Only these rows are parsed, because the body can have a hundred megabytes.
 *
 * @param body `{"result":[…]}`, one row per line.
 * @param maxBytes maximum bytes of all rows together.
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

/** The position after the row that begins at `start`. */
function endOfRow(body: Buffer, start: number): number {
  const lineFeed = body.indexOf('\n', start);
  return lineFeed === -1 ? body.length - END : lineFeed + 1 - ROW_SEPARATOR.length;
}

/** Matches numbers that JSON programs may round, because of their digits or exponent. Matches within texts too. */
const LONG_NUMBERS = /-?\d[\d.]{15,}(?:e[-+]?\d+)?|-?\d[\d.]*e[-+]?\d{3,}/gi;
/** Matches texts as a whole, and long numbers outside them. */
const TEXTS_AND_LONG_NUMBERS = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${LONG_NUMBERS.source}`, 'gi');

/**
 * Parses rows. Numbers that JSON programs would round become strings. The built-in parser is used where all long numbers are exact,
 * as averages are: it takes a third of the time of a lossless parser.
 *
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN where a column that holds JSON has a text that is not JSON.
 */
function parseRows(text: string): readonly unknown[] {
  const isExact = (text.match(LONG_NUMBERS) ?? []).every(isExactNumber);
  try {
    return JSON.parse(
      isExact ? text : text.replace(TEXTS_AND_LONG_NUMBERS, quoteRounded),
    ) as readonly unknown[];
  } catch (cause) {
    throw new Failure(
      'CLICKHOUSE_ANSWER_BROKEN',
      'The rows are not valid JSON: a column that holds JSON has text that is not JSON. Report it to the author of the endpoint.',
      { cause },
    );
  }
}

const quoteRounded = (token: string): string =>
  token.startsWith('"') || isExactNumber(token) ? token : `"${token}"`;

/**
 * Whether a double has all digits of a number. ClickHouse writes a double with the fewest digits that identify it, as JavaScript
 * does. So the number of a Float64 is always exact, whatever its size.
 */
function isExactNumber(number: string): boolean {
  return significantDigits(number) === significantDigits(String(Number(number)));
}

function significantDigits(number: string): string {
  const [digits = ''] = number.split(/e/i);
  return digits.replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}
