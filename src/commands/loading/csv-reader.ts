import { CsvRecord } from './csv-record.js';
import { COMMENT, headerError, isComment, rowWriter, type WriteRow } from './csv-row.js';
import { LineSplitter, MAX_LINE_BYTES, tooLong } from './line-splitter.js';
import type { Line, LineReader, RejectedLine } from './line-splitter.js';
import type { Column } from './columns.js';

export interface CsvOptions {
  /** `,` means the delimiter of the first line, which may differ only where that line has no comma. */
  readonly delimiter: ',' | '\t';
  /** The columns of the table; absent where it does not exist yet. */
  readonly columns: readonly Column[] | undefined;
  /** Maximum length of a record, so that a quote that is never closed cannot fill the memory. */
  readonly maxRecordBytes?: number;
}

/** A record that is not complete yet. */
interface OpenRecord {
  readonly record: CsvRecord;
  readonly lines: Line[];
  bytes: number;
}

const UNCLOSED = 'a quote is not closed';

/**
 * Converts records of delimited values to lines of NDJSON, each with the number of its first line. The first record names the
 * columns. Where quotes are malformed, only the first line of the record is rejected, and the next line begins a record: a missing
 * quote must not hide the rest of the file, as it does with csv-parse. No line is read more than twice: the lines of a
 * rejected record contain only doubled quotes, so that none of them leaves a record open.
 */
export class CsvReader implements LineReader {
  readonly #splitter: LineSplitter;
  readonly #maxBytes: number;
  #delimiter: string | undefined;
  #header: { readonly size: number; readonly write: WriteRow; mayBeComment: boolean } | undefined;
  #open: OpenRecord | undefined;

  constructor(private readonly options: CsvOptions) {
    this.#maxBytes = options.maxRecordBytes ?? MAX_LINE_BYTES;
    this.#splitter = new LineSplitter(this.#maxBytes);
  }

  /** @throws LoadError where the first record does not name columns. */
  push(chunk: Buffer): (Line | RejectedLine)[] {
    return this.#splitter.push(chunk).flatMap((line) => this.#add(line));
  }

  /** @throws LoadError where the first record does not name columns. */
  end(): (Line | RejectedLine)[] {
    const records = this.#splitter.end().flatMap((line) => this.#add(line));
    while (this.#open) records.push(...this.#reject(this.#open, UNCLOSED));
    return records;
  }

  #add(line: Line | RejectedLine): (Line | RejectedLine)[] {
    if ('reason' in line) {
      if (this.#open) return [...this.#reject(this.#open, UNCLOSED), ...this.#add(line)];
      if (!this.#header) throw headerError(line.reason);
      return [line];
    }
    const { text } = line;
    if (!this.#open && this.#isNoRecord(text)) return [];
    const open = (this.#open ??= { record: new CsvRecord(this.#delimiter ?? ','), lines: [], bytes: 0 });
    open.lines.push(line);
    const state = open.record.add(text);
    if (state === 'complete') return this.#finish(open);
    if (state !== 'open') return this.#reject(open, state.reason);
    open.bytes += Buffer.byteLength(text) + 1;
    return open.bytes > this.#maxBytes ? this.#reject(open, `${UNCLOSED}: ${tooLong(this.#maxBytes)}`) : [];
  }

  /** A blank line, or what Excel writes above the names: `sep=;`. */
  #isNoRecord(text: string): boolean {
    if (/^\r?$/.test(text)) return true;
    const said = this.#delimiter === undefined ? /^sep=(.)\r?$/i.exec(text)?.[1] : undefined;
    this.#delimiter ??= said ?? delimiterOf(text, this.options.delimiter);
    return said !== undefined;
  }

  #reject({ lines: [first, ...others] }: OpenRecord, reason: string): (Line | RejectedLine)[] {
    this.#open = undefined;
    if (!this.#header || !first) throw headerError(reason);
    return [{ line: first.line, reason }, ...others.flatMap((line) => this.#add(line))];
  }

  #finish({ record: { fields }, lines }: OpenRecord): (Line | RejectedLine)[] {
    this.#open = undefined;
    if (!this.#header) {
      const names = fields.map(({ text }) => text.trim());
      const write = rowWriter(names, this.options.columns);
      this.#header = { size: names.length, write, mayBeComment: isComment(names[0]) };
      return [];
    }
    const { size, write, mayBeComment } = this.#header;
    if (mayBeComment && isComment(fields[0]?.text)) throw headerError(COMMENT);
    this.#header.mayBeComment = false;
    const line = lines[0]?.line ?? 0;
    const place = lines.length === 1 ? { line } : { line, lastLine: line + lines.length - 1 };
    if (fields.length === size) return [{ ...place, text: write(fields) }];
    const count = `${fields.length} field${fields.length === 1 ? '' : 's'}`;
    return [{ ...place, reason: `${count}, but the first line names ${size} columns` }];
  }
}

/** The delimiter of the first line: a semicolon or a tab only where the line has no comma. */
function delimiterOf(header: string, expected: CsvOptions['delimiter']): string {
  if (expected !== ',') return expected;
  const plain = header.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, '');
  const found = [',', ';', '\t'].filter((delimiter) => plain.includes(delimiter));
  return found.length === 1 && found[0] !== undefined ? found[0] : expected;
}
