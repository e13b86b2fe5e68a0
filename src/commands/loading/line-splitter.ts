import { isUtf8 } from 'node:buffer';

/** Maximum length of a line, so that a file without line breaks cannot fill the memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The position of a line, or of a record over several lines, in the file. */
interface Place {
  /** Number of the line, from 1. */
  readonly line: number;
  /** The last line of a record that has several; absent where it has one. */
  readonly lastLine?: number;
  /** Number of a JSON object, from 1; present where objects are not on a line each. */
  readonly object?: number;
}

/** A line of NDJSON, possibly converted from a record of another format. */
export interface Line extends Place {
  readonly text: string;
}

/** A line that is not loaded, and the reason, for people. */
export interface RejectedLine extends Place {
  readonly reason: string;
}

/** A row that is not loaded. */
export function rejectedRow({ line, object }: Line, reason: string): RejectedLine {
  return { line, ...(object !== undefined && { object }), reason };
}

/** Turns chunks of bytes into lines of NDJSON; records of other formats become such lines. */
export interface LineReader {
  /** The lines that end in this chunk; a line that cannot be read is rejected. */
  readonly push: (chunk: Buffer) => (Line | RejectedLine)[];
  /** The rest, after the last chunk. */
  readonly end: () => (Line | RejectedLine)[];
}

const NEWLINE = 0x0a;

/** Splits chunks of bytes at line feeds. A byte order mark at the start of the file is removed. */
export class LineSplitter implements LineReader {
  #line = 0;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(private readonly maxLineBytes = MAX_LINE_BYTES) {}

  /** The lines that end in this chunk; one that is too long or not valid text is rejected. */
  push(chunk: Buffer): (Line | RejectedLine)[] {
    const lines: (Line | RejectedLine)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(this.#finishLine());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): (Line | RejectedLine)[] {
    return this.#length > 0 ? [this.#finishLine()] : [];
  }

  #append(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finishLine(): Line | RejectedLine {
    const isTooLong = this.#length > this.maxLineBytes;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    const line = ++this.#line;
    if (isTooLong) return { line, reason: tooLong(this.maxLineBytes) };
    if (!isUtf8(bytes)) return { line, reason: NOT_UTF8 };
    const text = bytes.toString('utf8');
    return { line, text: line === 1 ? text.replace(/^\ufeff/, '') : text };
  }
}

/** The reason why a line is rejected for its encoding: of those that are not UTF-8, this one is the most frequent. */
export const NOT_UTF8 = 'not valid UTF-8; perhaps iconv -f WINDOWS-1252 -t UTF-8 converts the file';

/** The reason why a line, or a record of several, is rejected for its length. */
export function tooLong(maxBytes: number): string {
  return `longer than ${maxBytes.toLocaleString('en-US')} bytes`;
}
