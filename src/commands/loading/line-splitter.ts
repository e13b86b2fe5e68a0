import { isUtf8 } from 'node:buffer';

import type { RejectedLine } from './load-report.js';

/** Maximum length of a line, so that a file without line breaks cannot fill the memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line of the file, without its line break. */
export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The last line of a record that has several; absent where it has one. */
  readonly lastLine?: number;
}

/** Turns chunks of bytes into lines of NDJSON; records of other formats become such lines. */
export interface LineReader {
  /** The lines that end in this chunk; a line that cannot be read is rejected. */
  readonly push: (chunk: Buffer) => (Line | RejectedLine)[];
  /** The rest, after the last chunk. */
  readonly end: () => (Line | RejectedLine)[];
}

export interface LineSplitterOptions {
  readonly maxLineBytes?: number;
  /** Whether blank lines and carriage returns are kept, which can be parts of a quoted field. */
  readonly isVerbatim?: boolean;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Splits chunks of bytes into lines. Unless `isVerbatim`, blank lines are counted but not returned, and a carriage return
 * before a line break is removed. A byte order mark at the start of the file is removed.
 */
export class LineSplitter implements LineReader {
  #line = 0;
  #pieces: Buffer[] = [];
  #length = 0;

  readonly #maxLineBytes: number;
  readonly #isVerbatim: boolean;

  constructor({ maxLineBytes = MAX_LINE_BYTES, isVerbatim = false }: LineSplitterOptions = {}) {
    this.#maxLineBytes = maxLineBytes;
    this.#isVerbatim = isVerbatim;
  }

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
    if (this.#length > this.#maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finishLine(): (Line | RejectedLine)[] {
    const [only, ...more] = this.#pieces;
    const isTooLong = this.#length > this.#maxLineBytes;
    const bytes = only && more.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    const line = ++this.#line;
    if (isTooLong) return [{ line, reason: tooLong(this.#maxLineBytes) }];
    const content = line === 1 ? withoutMark(bytes) : bytes;
    if (!isUtf8(content)) return [{ line, reason: 'not valid UTF-8' }];
    return this.#isVerbatim ? [{ line, text: content.toString('utf8') }] : withoutBreak(line, content);
  }
}

/** The reason why a line, or a record of several, is rejected for its length. */
export function tooLong(maxBytes: number): string {
  return `longer than ${maxBytes.toLocaleString('en-US')} bytes`;
}

function withoutBreak(line: number, bytes: Buffer): Line[] {
  const text = bytes.toString('utf8', 0, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length);
  return text.trim() === '' ? [] : [{ line, text }];
}

function withoutMark(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, BYTE_ORDER_MARK.length);
  return mark.equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
