import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { brokenResponse } from '../formats/broken-response.js';
import type { Signal } from '../query/signal.js';
import { contentOf, FrameCutter, frameOf } from './compressed-frames.js';
import { exceptionBlock, exceptionMark, exceptionOfBlock } from './exception-block.js';
import { BytesPerTurn } from './bytes-per-turn.js';

/**
 * Minimum number of bytes that are held back. It exceeds the 16 KiB at which ClickHouse cuts an exception off. (A server without tags does
 * not do that, but its exceptions cannot be found anyway.) An error within so many bytes gives the response a status of its own.
 */
const HELD_BYTES = 256 * 1024;
/** Buffer between two streams, in bytes. It has room for several reads of a socket. */
const BUFFERED_BYTES = 256 * 1024;
/**
 * Settings and headers of a statement without frames, which request gzip. Few formats show where they end, and a proxy that speaks HTTP/1.0
 * can end a truncated response like a complete one. gzip shows its end; at level 0 it does not compress. Statements with frames do not use
 * it, because ClickHouse would lose the texts of errors.
 */
export const WITH_END = {
  settings: { enable_http_compression: 1, http_zlib_compression_level: 0 },
  headers: { 'Accept-Encoding': 'gzip' },
} as const;
const A = 'a'.charCodeAt(0);
const TAG_LETTERS = 16;

export interface StatementBodyOptions {
  /** Exception tag from the header of ClickHouse's response. Undefined for older servers. */
  readonly tag: string | undefined;
  /** Whether the bytes are compressed frames (`compress=1`). */
  readonly isFramed: boolean;
  /** Whether the stream itself reports an early end as an error. */
  readonly hasEnd: boolean;
  /** Whether a result without bytes can be complete. */
  readonly mayBeEmpty: boolean;
  /** Text that the client gets instead of an exception. */
  readonly textOf: (failure: Error) => string;
  readonly takeTurn: (resume: () => void) => void;
  /** Maximum size of a complete result that is returned instead of passed on, in bytes. Absent: every result is passed on. */
  readonly wholeBytes?: number | undefined;
  /** Changes the last bytes of a complete result. The bytes before them are sent unchanged. */
  readonly finish?: ((end: Buffer) => Buffer) | undefined;
}

/**
 * The bytes of a statement's result in any format, on their way to the client. The end is held back until it is known to be good. If the
 * stream fails after its first bytes, it ends with the gateway's own text in ClickHouse's form, and the response must then be broken off.
 * No byte of ClickHouse's exception reaches the client.
 */
export class StatementBody extends Transform {
  /** Bytes that the client received, before compression. */
  bytes = 0;
  /** The complete result, if it was not passed on. Known when the stream ends. */
  whole: Buffer | undefined;
  /** Reason why the result is incomplete: ClickHouse's exception, an interruption, or a missing end. Known when the stream ends. */
  failure: Error | undefined;
  /** Exception tag that the client needs. */
  readonly tag: string;
  /** Resolves with the first bytes for the client, or at the end of the stream. */
  readonly started: Promise<void>;
  private start: () => void = () => undefined;
  private readonly turns: BytesPerTurn;
  private readonly frames: FrameCutter | undefined;
  /** Last chunks or frames, which are held back. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private brokenBy: Error | undefined;

  constructor(private readonly options: StatementBodyOptions) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.tag = options.tag ?? drawTag();
    this.turns = new BytesPerTurn(options.takeTurn);
    this.frames = options.isFramed ? new FrameCutter() : undefined;
    this.started = new Promise((resolve) => (this.start = resolve));
  }

  /** Ends the stream after the bytes that were written, because of an interruption. */
  breakOff(reason: Error): void {
    this.brokenBy = reason;
    this.end();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (const part of this.frames?.cut(chunk) ?? [chunk]) this.hold(part);
    this.turns.after(chunk.length, done);
  }

  override _flush(done: TransformCallback): void {
    this.failure = this.exception() ?? this.brokenBy ?? this.missingEnd();
    if (!this.failure) this.sendEnd(this.finished());
    else if (this.bytes > 0) this.send(this.lastWords(this.failure));
    this.held = [];
    this.start();
    done();
  }

  /** Holds a chunk or frame, and sends those that no longer belong to the last bytes. The last frame is held at any length. */
  private hold(part: Buffer): void {
    this.held.push(part);
    this.heldBytes += part.length;
    const least = this.bytes > 0 ? HELD_BYTES : Math.max(HELD_BYTES, this.options.wholeBytes ?? 0);
    for (let first; (first = this.held[0]) && this.heldBytes - first.length >= least;) {
      this.held.shift();
      this.heldBytes -= first.length;
      this.send(first);
    }
  }

  /** Exception in the held bytes. ClickHouse writes an exception into a separate frame. */
  private exception(): Error | undefined {
    const { frames, held, options } = this;
    const last = held.at(-1);
    if (options.tag === undefined || !last) return undefined;
    const end = frames ? contentOf(last) : Buffer.concat(held);
    const at = end?.lastIndexOf(exceptionMark(options.tag)) ?? -1;
    return end && at !== -1 ? exceptionOfBlock(end.subarray(at)) : undefined;
  }

  private missingEnd(): Error | undefined {
    const { frames, bytes, heldBytes, options } = this;
    // ClickHouse writes no gzip for an empty body.
    const isEmpty = bytes + heldBytes === 0;
    const isWhole = frames ? frames.isWhole : options.hasEnd || isEmpty;
    if (isWhole && (options.mayBeEmpty || !isEmpty)) return undefined;
    const what = frames ? 'compressed frames' : 'a result';
    const cause =
      isEmpty || isWhole || frames ? '' : '; what stands before ClickHouse must keep Accept-Encoding';
    return brokenResponse(`${bytes + heldBytes} bytes of ${what} without their end${cause}`);
  }

  private lastWords(failure: Error): Buffer {
    const block = exceptionBlock(this.tag, this.options.textOf(failure));
    return this.frames ? frameOf(block) : block;
  }

  private finished(): Buffer {
    const end = Buffer.concat(this.held);
    return this.options.finish?.(end) ?? end;
  }

  private sendEnd(end: Buffer): void {
    if (this.bytes === 0 && end.length <= (this.options.wholeBytes ?? -1)) this.whole = end;
    else this.send(end);
  }

  private send(bytes: Buffer): void {
    this.bytes += bytes.length;
    // Node would treat an empty chunk as the end.
    if (bytes.length > 0) this.push(bytes);
    this.start();
  }
}

/** Random tag of letters, like ClickHouse's own. */
function drawTag(): string {
  return String.fromCharCode(...Array.from({ length: TAG_LETTERS }, () => A + randomInt(26)));
}

/**
 * Passes a response of ClickHouse on.
 *
 * @param openSink called with the first bytes, or at the end of an empty result, but not if the body is `whole`. If the body has a
 *   `failure`, the last stream must break off the client's response
 * @throws ClickHouseError, Failure CLICKHOUSE_ANSWER_BROKEN, the reason of the signal, or the error of a stream of the sink. If `openSink`
 *   was called, the client has already got the error
 */
export async function transferStatement(
  response: IncomingMessage,
  body: StatementBody,
  signal: Signal,
  openSink: () => readonly [...NodeJS.ReadWriteStream[], NodeJS.WritableStream],
): Promise<void> {
  receive(response, body, signal);
  try {
    await body.started;
    if (!body.whole && (body.bytes > 0 || !body.failure)) await pipeline([body, ...openSink()]);
    if (body.failure) throw body.failure;
  } finally {
    body.destroy();
  }
}

/** Whether the bytes of a response show where they end. */
export const hasEnd = ({ headers }: IncomingMessage): boolean => headers['content-encoding'] === 'gzip';

function receive(response: IncomingMessage, body: StatementBody, signal: Signal): void {
  const rows = hasEnd(response) ? createGunzip({ chunkSize: BUFFERED_BYTES }) : new PassThrough();
  let isCut = false;
  const breakOff = (): void => {
    if (body.writableEnded) return;
    // Decoded bytes that were not read would be lost with the stream. They can contain an exception.
    for (let chunk; (chunk = rows.read() as Buffer | null) !== null;) body.write(chunk);
    const closed = brokenResponse('the connection closed, or the bytes ended, before the end of a result');
    body.breakOff(signal.aborted ? (signal.reason as Error) : closed);
  };
  const stop = (): void => {
    if (rows.writableEnded) return;
    isCut = true;
    // Received bytes that were not read would be lost when the connection closes.
    for (let chunk; (chunk = response.read() as Buffer | null) !== null;) rows.write(chunk);
    rows.end();
  };
  rows.on('data', (chunk: Buffer) => {
    if (!body.write(chunk)) rows.pause();
  });
  body.on('drain', () => rows.resume());
  rows.once('error', breakOff).once('end', () => {
    if (isCut) breakOff();
    else body.end();
  });
  response.once('aborted', stop).once('error', stop).pipe(rows);
  body.once('close', () => {
    response.destroy();
    rows.destroy();
  });
}
