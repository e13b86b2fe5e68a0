import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type BrotliCompress,
  type BrotliOptions,
  type Gzip,
  type ZlibOptions,
} from 'node:zlib';

import {
  COMPRESSED,
  inOwnMemory,
  type Bodies,
  type Compressed,
  type PendingEncodings,
} from './endpoint-result.js';

/** Minimum size for compression, in bytes. Compressing a smaller body saves nothing that a caller would notice. */
const WORTHWHILE_BYTES = 1024;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Each encoding has one level, so that one ETag means one sequence of bytes. */
const GZIP: ZlibOptions = { level: 6 };

/**
 * Uses a window of 256 KiB. With the default of 4 MiB, a stream takes 16 MB of memory instead of 2, and half as much time again. A body of
 * 12 MB is not smaller for that.
 */
function brotliOptions(bytes: number): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: 18,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** Compresses a body in the thread pool. */
const COMPRESS: Readonly<Record<Compressed, (identity: Buffer) => Promise<Buffer>>> = {
  br: (identity) => compressBrotli(identity, brotliOptions(identity.length)),
  gzip: (identity) => compressGzip(identity, GZIP),
};

/** Whether a body is large enough to be compressed. */
export function isWorthCompressing(identity: Buffer): boolean {
  return identity.length > WORTHWHILE_BYTES;
}

/** Stream of the body in an encoding. It has the same bytes as {@link bodiesOf}, without a copy in memory. */
export function compressedStream(identity: Buffer, encoding: Compressed): BrotliCompress | Gzip {
  const stream = compressor(encoding, identity.length);
  return Readable.from(slicesOf(identity), { objectMode: false }).pipe(stream);
}

/** Stream that compresses its input. @param bytes size of the input; 0 where it is unknown */
export function compressor(encoding: Compressed, bytes = 0): BrotliCompress | Gzip {
  return encoding === 'br' ? createBrotliCompress(brotliOptions(bytes)) : createGzip(GZIP);
}

/** Bytes that one job of the thread pool compresses. A job for a whole body would make other requests wait. */
const SLICE_BYTES = 64 * 1024;

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/** Bodies of a cached result. Its encodings are pending where compression is worthwhile. */
export function bodiesOf(body: Buffer, compress = COMPRESS): Bodies {
  const identity = inOwnMemory(body);
  return isWorthCompressing(identity) ? pendingBodies(identity, {}, compress) : { identity };
}

/** Bodies that are compressed on demand. @param ready encodings that exist already */
export function pendingBodies(
  identity: Buffer,
  ready: Readonly<Partial<Record<Compressed, Buffer>>>,
  compress = COMPRESS,
): Bodies {
  return new EncodingsOnDemand(identity, { ...ready }, compress).bodies();
}

/** Compresses a body once in each encoding, when a caller asks for it. */
class EncodingsOnDemand implements PendingEncodings {
  private readonly started = new Map<Compressed, Promise<Buffer | undefined>>();
  private notify: (bodies: Bodies) => void = () => undefined;

  constructor(
    private readonly identity: Buffer,
    private readonly ready: Partial<Record<Compressed, Buffer>>,
    private readonly compress: typeof COMPRESS,
  ) {}

  in(encoding: Compressed): Promise<Buffer | undefined> {
    const { [encoding]: ready } = this.ready;
    if (ready) return Promise.resolve(ready);
    const started = this.started.get(encoding) ?? this.start(encoding);
    this.started.set(encoding, started);
    return started;
  }

  follow(notify: (bodies: Bodies) => void): void {
    this.notify = notify;
    if (COMPRESSED.some((encoding) => this.ready[encoding])) notify(this.bodies());
  }

  bodies(): Bodies {
    const isComplete = COMPRESSED.every((encoding) => this.ready[encoding]);
    return { identity: this.identity, ...this.ready, ...(!isComplete && { pending: this }) };
  }

  /** Starts a compression. Where it fails, for example without memory, the caller gets the body without an encoding. */
  private start(encoding: Compressed): Promise<Buffer | undefined> {
    return this.compress[encoding](this.identity).then(
      (body) => {
        const own = inOwnMemory(body);
        this.ready[encoding] = own;
        this.notify(this.bodies());
        return own;
      },
      () => undefined,
    );
  }
}

/** Digest that ETags contain: the first 128 bits of SHA-256. */
export function digestOf(identity: Buffer): string {
  return hash('sha256', identity, 'base64url').slice(0, 22);
}
