import { brokenResponse } from './broken-response.js';
import type { CutResult } from './cut-result.js';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/**
 * Checks that a text of a header and rows is whole and cuts it to the row cap, on its bytes. In CSV a line feed between
 * quotes is part of a cell; TSV escapes it.
 *
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the text does not end with the end of a line.
 */
export function cutLines(body: Buffer, rowCap: number, hasQuotes: boolean): CutResult {
  const ends = lineEnds(body, hasQuotes);
  if (ends.length === 0 || ends.at(-1) !== body.length) {
    throw brokenResponse(`${body.length} bytes of text that do not end with a line`);
  }
  const rowsReceived = ends.length - 1;
  const truncated = rowsReceived > rowCap;
  return {
    body: truncated ? body.subarray(0, ends[rowCap]) : body,
    rowCount: truncated ? rowCap : rowsReceived,
    rowsReceived,
    truncated,
  };
}

/** Where each line ends: the place behind its line feed. */
function lineEnds(body: Buffer, hasQuotes: boolean): readonly number[] {
  const ends: number[] = [];
  // Quotes inside a quoted cell are doubled, so that it takes an even number of them to be between two cells.
  let quoted = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE && hasQuotes) quoted = !quoted;
    else if (byte === LINE_FEED && !quoted) ends.push(at + 1);
  }
  return ends;
}

/** What makes a spreadsheet take a cell for a formula, or drops out of it before one: = + - @ tab CR LF. */
const STARTS_FORMULA: ReadonlySet<number | undefined> = new Set([0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d, 0x0a]);
const APOSTROPHE = Buffer.from("'");

/**
 * CSV whose texts no spreadsheet runs: those that begin as a formula would get an apostrophe before them. Numbers, which
 * have no quotes around them, stay what they are.
 */
export function disarmFormulas(csv: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  let quoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    if (csv[at] !== QUOTE) continue;
    quoted = !quoted;
    // The second of two quotes inside a cell opens none.
    if (!quoted || csv[at - 1] === QUOTE || !beginsFormula(csv, at + 1)) continue;
    pieces.push(csv.subarray(done, at + 1), APOSTROPHE);
    done = at + 1;
  }
  return pieces.length === 0 ? csv : Buffer.concat([...pieces, csv.subarray(done)]);
}

/** The full-width forms of the signs count as the signs: ＝ ＋ － ＠ are EF BC and one of these. */
const FULL_WIDTH: ReadonlySet<number | undefined> = new Set([0x9d, 0x8b, 0x8d, 0xa0]);

function beginsFormula(csv: Buffer, at: number): boolean {
  if (STARTS_FORMULA.has(csv[at])) return true;
  return csv[at] === 0xef && csv[at + 1] === 0xbc && FULL_WIDTH.has(csv[at + 2]);
}
