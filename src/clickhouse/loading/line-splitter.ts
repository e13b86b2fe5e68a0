import { isUtf8 } from 'node:buffer';

import type { RejectedLine } from './load-report.js';

/** Maximum length of a line, so that a file without line breaks cannot fill the memory. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line of the file, without its line break. */
export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Splits chunks of bytes into lines. Blank lines are counted but not returned; a carriage return before a line break
 * and a byte order mark at the start of the file are removed.
 */
export class LineSplitter {
  #line = 0;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(private readonly maxLineBytes = MAX_LINE_BYTES) {}

  /** The lines that end in this chunk; a line that is not valid text is rejected. */
  push(chunk: Buffer): (Line | RejectedLine)[] {
    const lines: (Line | RejectedLine)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(...this.#finishLine());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): (Line | RejectedLine)[] {
    return this.#length > 0 ? this.#finishLine() : [];
  }

  #append(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finishLine(): (Line | RejectedLine)[] {
    const [only, ...more] = this.#pieces;
    const isTooLong = this.#length > this.maxLineBytes;
    const bytes = only && more.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    const line = ++this.#line;
    if (isTooLong)
      return [{ line, reason: `longer than ${this.maxLineBytes.toLocaleString('en-US')} bytes` }];
    return read(line, line === 1 ? withoutMark(bytes) : bytes);
  }
}

function read(line: number, bytes: Buffer): (Line | RejectedLine)[] {
  if (!isUtf8(bytes)) return [{ line, reason: 'not valid UTF-8' }];
  const text = bytes.toString('utf8', 0, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length);
  return text.trim() === '' ? [] : [{ line, text }];
}

function withoutMark(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, BYTE_ORDER_MARK.length);
  return mark.equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
