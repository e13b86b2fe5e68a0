import { brokenResponse } from './broken-response.js';
import type { CutResult } from './format.js';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/**
 * Proves that a text of a header line and rows is complete, and cuts its bytes to the row cap.
 *
 * @param hasQuotes whether a line feed between quotes is part of a cell, as in CSV; TSV escapes it.
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

/** Joins complete texts: the header line of the first, then the rows of all. */
export function joinLines(bodies: readonly Buffer[], hasQuotes: boolean): Buffer {
  const [header = 0] = lineEnds(bodies[0] ?? Buffer.alloc(0), hasQuotes);
  return Buffer.concat(bodies.map((body, index) => (index === 0 ? body : body.subarray(header))));
}

/** The offset after the line feed of each line. */
function lineEnds(body: Buffer, hasQuotes: boolean): readonly number[] {
  const ends: number[] = [];
  // Quotes inside a quoted cell are doubled, so an even number of quotes precedes every boundary of cells.
  let quoted = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE && hasQuotes) quoted = !quoted;
    else if (byte === LINE_FEED && !quoted) ends.push(at + 1);
  }
  return ends;
}

/** First characters by which a spreadsheet recognizes a formula: = + - @ tab CR LF. */
const STARTS_FORMULA: ReadonlySet<number | undefined> = new Set([0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d, 0x0a]);
const APOSTROPHE = Buffer.from("'");

/**
 * Puts an apostrophe before each text that begins like a formula, so that no spreadsheet runs it. Numbers stay unchanged,
 * because they have no quotes around them. A CSV can come in several buffers, each of which ends with a line feed.
 */
export class FormulaDisarmer {
  private quoted = false;

  disarm(csv: Buffer): Buffer {
    const pieces: Buffer[] = [];
    let done = 0;
    for (let at = csv.indexOf(QUOTE); at !== -1; at = csv.indexOf(QUOTE, at + 1)) {
      this.quoted = !this.quoted;
      // The second of two quotes inside a cell does not open another cell.
      if (!this.quoted || csv[at - 1] === QUOTE || !beginsFormula(csv, at + 1)) continue;
      pieces.push(csv.subarray(done, at + 1), APOSTROPHE);
      done = at + 1;
    }
    return pieces.length === 0 ? csv : Buffer.concat([...pieces, csv.subarray(done)]);
  }
}

/** Spreadsheets accept the full-width signs ＝ ＋ － ＠ too: the bytes EF BC, then one of these. */
const FULL_WIDTH: ReadonlySet<number | undefined> = new Set([0x9d, 0x8b, 0x8d, 0xa0]);

function beginsFormula(csv: Buffer, at: number): boolean {
  if (STARTS_FORMULA.has(csv[at])) return true;
  return csv[at] === 0xef && csv[at + 1] === 0xbc && FULL_WIDTH.has(csv[at + 2]);
}
