import { Transform, type TransformCallback } from 'node:stream';

import type { QueryCost } from '../../endpoint/limit-rules.js';
import { brokenResponse } from '../formats/broken-response.js';
import { MAX_LAST_LINE, splitLastLine, type ReportedFigures } from '../formats/exported-rows.js';
import { exceptionMark, exceptionOfBlock } from './exception-block.js';
import { resultTooLarge } from './translate-error.js';
import { BytesPerTurn } from './bytes-per-turn.js';

/** Functions that make the bytes of an export from those of ClickHouse. */
export interface ExportedBody {
  /** Bytes before the first row. */
  readonly start: Buffer;
  /** Mark of the last line, which has figures. Undefined in a format without this line. */
  readonly mark: string | undefined;
  /** Converts whole lines to the text that the format promises. Called with one part after the other. */
  readonly finish: (lines: Buffer) => Buffer;
  /** Whether a body of a format without figures is complete, judged by its first and last bytes. */
  readonly isComplete: (ends: Buffer) => boolean;
  /** Bytes after the last row. Called after every row was received. */
  readonly end: (figures: ReportedFigures | undefined) => Buffer;
}

/** Maximum number of bytes of ClickHouse's exception to read. */
const MAX_EXCEPTION_BYTES = 64 * 1024;
/** Number of bytes that are held back, because they can be the last line or the beginning of an exception. */
const HELD_BYTES = MAX_LAST_LINE;
/** Buffer between two streams, in bytes. It has room for several reads of a socket. */
const BUFFERED_BYTES = 256 * 1024;
/** Number of bytes at the beginning of each chunk in which lines are counted. */
const COUNTED_BYTES = 4096;
/** Maximum length of a row, in bytes. A row is held until its end was received. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * The bytes of an export on their way to the caller. The stream ends only if every row was received, and emits `complete` before that. It
 * fails with ClickHouse's exception if one ends the response, and the caller gets no byte of the exception.
 */
export class ExportBody extends Transform {
  /** Bytes that the caller received, before compression. */
  bytes = 0;
  private readonly turns: BytesPerTurn;
  /** Sample in which lines were counted: the beginning of each chunk, because a look at every byte is expensive. */
  private readonly counted = { bytes: 0, lines: 0 };
  /** Figures that ClickHouse reports for a complete export. Undefined for a format without figures. */
  figures: ReportedFigures | undefined;
  /** Bytes that are held back. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private exceptionText: Buffer | undefined;
  /** Last bytes that were received, as many as the mark of an exception has. */
  private recent: Buffer = Buffer.alloc(0);
  private readonly exceptionMark: Buffer | undefined;
  /** First bytes that were sent; `tail` has the last ones. */
  private head: Buffer = Buffer.alloc(0);
  private tail: Buffer = Buffer.alloc(0);

  /** @param exceptionTag tag from the response's header. Older servers send none: then only the proof of completeness finds exceptions. */
  constructor(
    private readonly body: ExportedBody,
    exceptionTag: string | undefined,
    takeTurn: (resume: () => void) => void,
  ) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.turns = new BytesPerTurn(takeTurn);
    this.exceptionMark = exceptionTag === undefined ? undefined : exceptionMark(exceptionTag);
    this.send(body.start);
  }

  /** Lower bound of what ClickHouse read: the figures that it reports, or else what was sent, where one line counts as one row. */
  get sent(): Pick<QueryCost, 'rowsRead' | 'bytesRead'> {
    if (this.figures) return this.figures.cost;
    const { bytes, lines } = this.counted;
    return { rowsRead: bytes === 0 ? 0 : Math.round((this.bytes * lines) / bytes), bytesRead: this.bytes };
  }

  /** ClickHouse's exception, as far as it was received. Undefined where there was none. */
  get exception(): Error | undefined {
    return this.exceptionText && exceptionOfBlock(this.exceptionText);
  }

  /**
   * Looks for an exception in a chunk as soon as the chunk is received, because bytes that wait in a stream are lost when the connection
   * closes. The mark of an exception can begin in the last chunk and end in this one.
   */
  scan(chunk: Buffer): void {
    const { exceptionMark: mark, exceptionText: text } = this;
    if (!mark) return;
    if (text) {
      if (text.length < MAX_EXCEPTION_BYTES) this.exceptionText = Buffer.concat([text, chunk]);
      return;
    }
    const { recent } = this;
    const inBoundary = Buffer.concat([recent, chunk.subarray(0, mark.length)]).indexOf(mark);
    if (inBoundary !== -1) {
      this.exceptionText = Buffer.concat([recent, chunk]).subarray(inBoundary);
      return;
    }
    const inChunk = chunk.indexOf(mark);
    if (inChunk !== -1) this.exceptionText = chunk.subarray(inChunk);
    else this.recent = Buffer.concat([recent, chunk.subarray(-mark.length)]).subarray(-mark.length);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.countLines(chunk.subarray(0, COUNTED_BYTES));
      if (!this.exceptionText) this.pass(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.turns.after(chunk.length, done);
  }

  override _flush(done: TransformCallback): void {
    try {
      this.complete();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** @throws ClickHouseError, or Failure CLICKHOUSE_ANSWER_BROKEN */
  private complete(): void {
    if (this.exception) throw this.exception;
    const bytes = Buffer.concat(this.held);
    const { mark, isComplete, finish, end } = this.body;
    const last = mark === undefined ? { rows: bytes, figures: undefined } : splitLastLine(bytes, mark);
    const ends = Buffer.concat([this.head, this.tail, bytes]);
    if (!last || (mark === undefined && !isComplete(ends))) {
      throw brokenResponse(`${this.bytes + bytes.length} bytes of an export without its end`);
    }
    this.figures = last.figures;
    this.send(finish(last.rows));
    this.send(end(last.figures));
    this.emit('complete');
  }

  private countLines(sample: Buffer): void {
    this.counted.bytes += sample.length;
    for (const byte of sample) if (byte === LINE_FEED) this.counted.lines += 1;
  }

  private pass(chunk: Buffer): void {
    if (this.body.mark === undefined) {
      this.sendUpTo(chunk, 0, chunk.length - HELD_BYTES);
      return;
    }
    const firstLine = chunk.indexOf(LINE_FEED) + 1;
    this.sendUpTo(chunk, firstLine, chunk.lastIndexOf(LINE_FEED, chunk.length - HELD_BYTES - 1) + 1);
  }

  /**
   * Sends the held bytes and a chunk up to a byte, and holds the rest.
   *
   * @param first where the first whole line of the chunk begins; the bytes before it complete the held line
   */
  private sendUpTo(chunk: Buffer, first: number, end: number): void {
    if (chunk.length <= HELD_BYTES || end < first || (first === 0 && this.body.mark !== undefined)) {
      this.hold(chunk);
      return;
    }
    const { finish } = this.body;
    this.send(finish(Buffer.concat([...this.held, chunk.subarray(0, first)])));
    this.send(finish(chunk.subarray(first, end)));
    if (this.tail.length === 0) this.head = Buffer.concat([...this.held, chunk]).subarray(0, HELD_BYTES);
    this.tail = chunk.subarray(Math.max(0, end - HELD_BYTES), end);
    // The rest is copied, because a slice would keep the whole chunk in memory.
    this.held = [];
    this.heldBytes = 0;
    this.hold(Buffer.from(chunk.subarray(end)));
  }

  /** @throws Failure RESULT_TOO_LARGE */
  private hold(chunk: Buffer): void {
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    if (this.heldBytes > MAX_ROW_BYTES) throw resultTooLarge(`a row of more than ${MAX_ROW_BYTES} bytes`);
  }

  private send(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.bytes += bytes.length;
    this.push(bytes);
  }
}
