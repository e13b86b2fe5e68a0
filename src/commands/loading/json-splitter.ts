import { isUtf8 } from 'node:buffer';

import { MAX_LINE_BYTES, NOT_UTF8, tooLong } from './line-splitter.js';
import type { Line, LineReader, RejectedLine } from './line-splitter.js';

const byteOf = (character: string): number => character.charCodeAt(0);
const [NEWLINE, QUOTE, BACKSLASH, END] = ['\n', '"', '\\', ']'].map(byteOf);
const OPENING = new Set(['[', '{'].map(byteOf));
const CLOSING = new Set([']', '}'].map(byteOf));
const BETWEEN = new Set([' ', '\t', '\r', '\n', ',', ']'].map(byteOf));

/**
 * Splits JSON whose objects are not on a line each: an array of objects, or objects over several lines. Holds only one object in
 * memory, and makes each value a line of NDJSON.
 */
export class JsonSplitter implements LineReader {
  #found: (Line | RejectedLine)[] = [];
  #line = 1;
  #object = 0;
  /** Offset at which the open value begins, and its bytes in earlier chunks. */
  #start: number | undefined;
  #pieces: Buffer[] = [];
  #length = 0;
  #problem: string | undefined;
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;

  /** @param array whether an array is expected, or state of it. */
  constructor(
    private array: 'none' | 'expected' | 'open' | 'closed',
    private readonly maxBytes = MAX_LINE_BYTES,
  ) {}

  /** Whether a value is open that can go on in the next line. */
  get isOpen(): boolean {
    return this.#start !== undefined && this.#problem === undefined;
  }

  push(chunk: Buffer): (Line | RejectedLine)[] {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) this.#endLine();
      if (this.#isQuoted) {
        this.#readQuoted(byte);
        continue;
      }
      if (this.#depth === 0 && BETWEEN.has(byte)) this.#finish(chunk.subarray(from, at));
      if (this.#start === undefined) {
        if (this.#isOfArray(byte)) continue;
        from = at;
        this.#begin();
      }
      if (this.#readPlain(byte)) this.#finish(chunk.subarray(from, at + 1));
    }
    if (this.#start !== undefined) this.#append(chunk.subarray(from));
    return this.#found.splice(0);
  }

  #endLine(): void {
    this.#line += 1;
    if (this.#isQuoted) this.#problem ??= 'a text contains a line break that is not escaped';
  }

  end(): (Line | RejectedLine)[] {
    if (this.#depth > 0) this.#problem ??= 'the object is not closed';
    if (this.#start === undefined && this.array === 'open')
      this.#found.push({ line: this.#line, reason: 'the file ends before the end of its array' });
    this.#finish(Buffer.alloc(0));
    return this.#found.splice(0);
  }

  #begin(): void {
    this.#object += 1;
    this.#start = this.#line;
    this.#problem = this.array === 'closed' ? 'text follows the end of the array' : undefined;
  }

  #readQuoted(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isQuoted = false;
  }

  /** Whether a value ends with the byte. */
  #readPlain(byte: number): boolean {
    if (byte === QUOTE) this.#isQuoted = true;
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#depth -= 1;
    return CLOSING.has(byte) && this.#depth <= 0;
  }

  /** Whether a byte outside of values belongs to the array, or is a part of the byte order mark. */
  #isOfArray(byte: number): boolean {
    if ((byte !== END && BETWEEN.has(byte)) || (this.#object === 0 && byte > 0x7f)) return true;
    if (this.array === 'expected') this.array = 'open';
    else if (this.array === 'open' && byte === END) this.array = 'closed';
    else return false;
    return true;
  }

  #append(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #finish(last: Buffer): void {
    const line = this.#start;
    if (line === undefined) return;
    this.#append(last);
    const bytes = Buffer.concat(this.#pieces);
    if (this.#length > this.maxBytes) this.#problem = tooLong(this.maxBytes);
    else if (!isUtf8(bytes)) this.#problem ??= NOT_UTF8;
    // No text of a valid value contains a line feed.
    const value = this.#problem
      ? { reason: this.#problem }
      : { text: bytes.toString().replace(/\n\s*/g, ' ') };
    this.#found.push({ line, object: this.#object, ...value });
    this.#start = undefined;
    this.#pieces = [];
    this.#length = 0;
    this.#depth = 0;
    this.#isQuoted = false;
  }
}
