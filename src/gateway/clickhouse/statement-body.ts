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
 * Bytes that are held back at least. ClickHouse cuts an exception off at 16 KiB; one of a server without tags is not found, and longer.
 * An error within as many bytes of a result is a response with its own status.
 */
const HELD_BYTES = 256 * 1024;
/** Bytes between two streams: those of several reads of a socket. */
const BUFFERED_BYTES = 256 * 1024;
/**
 * What a statement without frames is sent with. Few formats show where they end, and what stands before ClickHouse can end a response
 * that is cut as one that is whole, such as a proxy that speaks HTTP/1.0. gzip has an end; at level 0 it compresses nothing. Within
 * frames ClickHouse loses the texts of errors in it.
 */
export const WITH_END = {
  settings: { enable_http_compression: 1, http_zlib_compression_level: 0 },
  headers: { 'Accept-Encoding': 'gzip' },
} as const;
const A = 'a'.charCodeAt(0);
const TAG_LETTERS = 16;

export interface StatementBodyOptions {
  /** Of the header of ClickHouse's response. */
  readonly tag: string | undefined;
  /** Whether the bytes are compressed frames (`compress=1`). */
  readonly isFramed: boolean;
  /** Whether an end too early is an error of the stream. */
  readonly hasEnd: boolean;
  /** Whether a result without bytes can be complete. */
  readonly mayBeEmpty: boolean;
  /** What the client gets instead of an exception. */
  readonly textOf: (failure: Error) => string;
  readonly takeTurn: (resume: () => void) => void;
  /** A complete result of at most so many bytes is not passed on. */
  readonly wholeBytes?: number | undefined;
  /** What the last bytes of a complete result become; the bytes before are sent as they are. */
  readonly finish?: ((end: Buffer) => Buffer) | undefined;
}

/**
 * The bytes of a statement's result in any format, on their way to the client. The end is held back until it is known to be good. A
 * stream that fails ends, after its first bytes, with a text of the gateway in the form of ClickHouse, and the response has to be
 * broken off then: no byte of ClickHouse's exception reaches the client.
 */
export class StatementBody extends Transform {
  /** Bytes that the client got, before any compression. */
  bytes = 0;
  /** The result where it is complete and was not passed on. Known when the stream ends. */
  whole: Buffer | undefined;
  /** Why the stream is not complete: ClickHouse's exception, or what broke it off. Known when it ends. */
  failure: Error | undefined;
  /** The tag that the client has to know. */
  readonly tag: string;
  /** Resolves with the first bytes for the client, or with the end. */
  readonly started: Promise<void>;
  private start: () => void = () => undefined;
  private readonly turns: BytesPerTurn;
  private readonly frames: FrameCutter | undefined;
  /** The last chunks or frames. */
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

  /** Ends the stream after the bytes that were written. */
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

  /** Sends what is not among the last bytes any more. The last frame is held, whatever its length. */
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

  /** ClickHouse writes an exception into a frame of its own. */
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
    // Without bytes ClickHouse writes no gzip.
    const isEmpty = bytes + heldBytes === 0;
    const isWhole = frames ? frames.isWhole : options.hasEnd || isEmpty;
    if (isWhole && (options.mayBeEmpty || !isEmpty)) return undefined;
    return brokenResponse(`${bytes} bytes of ${frames ? 'compressed frames' : 'a result'} without their end`);
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
    // Node takes an empty chunk for the end.
    if (bytes.length > 0) this.push(bytes);
    this.start();
  }
}

/** Letters, as in tags of ClickHouse. */
function drawTag(): string {
  return String.fromCharCode(...Array.from({ length: TAG_LETTERS }, () => A + randomInt(26)));
}

/**
 * Passes a response of ClickHouse on.
 *
 * @param openSink called with the first bytes, or at the end of an empty result, unless the body is `whole`; the last stream has to break the client's response off
 * where the body has a `failure`
 * @throws ClickHouseError, Failure CLICKHOUSE_ANSWER_BROKEN, the reason of the signal, or the error of a stream of the sink. Where
 *   `openSink` was called, the client has been told
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
    // What has been decoded is lost with the stream, and an exception is its end.
    for (let chunk; (chunk = rows.read() as Buffer | null) !== null;) body.write(chunk);
    const closed = brokenResponse('the connection closed, or the bytes ended, before the end of a result');
    body.breakOff(signal.aborted ? (signal.reason as Error) : closed);
  };
  const stop = (): void => {
    if (rows.writableEnded) return;
    isCut = true;
    // As is what has arrived when the connection closes.
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
