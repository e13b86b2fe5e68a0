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

/** Compressing a smaller body saves nothing that a caller would notice. */
const WORTHWHILE_BYTES = 1024;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Each encoding has one level, so that one ETag means one sequence of bytes. */
const GZIP: ZlibOptions = { level: 6 };

/**
 * A window of 256 KiB: with the default of 4 MiB a stream takes 16 MB of memory instead of 2, and half as much time again, for
 * a body of 12 MB that is not smaller.
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

/** In the thread pool. */
const COMPRESS: Readonly<Record<Compressed, (identity: Buffer) => Promise<Buffer>>> = {
  br: (identity) => compressBrotli(identity, brotliOptions(identity.length)),
  gzip: (identity) => compressGzip(identity, GZIP),
};

/** Whether a body is large enough to be compressed. */
export function isWorthCompressing(identity: Buffer): boolean {
  return identity.length > WORTHWHILE_BYTES;
}

/** A stream of the body in an encoding: the same bytes as of {@link bodiesOf}, without a copy of them in memory. */
export function compressedStream(identity: Buffer, encoding: Compressed): BrotliCompress | Gzip {
  const stream = compressor(encoding, identity.length);
  return Readable.from(slicesOf(identity), { objectMode: false }).pipe(stream);
}

/** A stream that compresses what is written to it. @param bytes that it will get; 0 where that is not known */
export function compressor(encoding: Compressed, bytes = 0): BrotliCompress | Gzip {
  return encoding === 'br' ? createBrotliCompress(brotliOptions(bytes)) : createGzip(GZIP);
}

/** Bytes that one job of the thread pool compresses: a whole body would keep other requests waiting. */
const SLICE_BYTES = 64 * 1024;

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/** The bodies of a result that is cached: its encodings are pending where compressing it is worthwhile. */
export function bodiesOf(body: Buffer, compress = COMPRESS): Bodies {
  const identity = inOwnMemory(body);
  return isWorthCompressing(identity) ? pendingBodies(identity, {}, compress) : { identity };
}

/** A body that is compressed on demand. @param ready its encodings that are there already */
export function pendingBodies(
  identity: Buffer,
  ready: Readonly<Partial<Record<Compressed, Buffer>>>,
  compress = COMPRESS,
): Bodies {
  return new EncodingsOnDemand(identity, { ...ready }, compress).bodies();
}

/** Compresses a body once in each encoding, when somebody asks for it. */
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

  /** A response without an encoding is better than none: out of memory, the caller gets the body as it is. */
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

/** The digest that ETags contain: the first 128 bits of SHA-256. */
export function digestOf(identity: Buffer): string {
  return hash('sha256', identity, 'base64url').slice(0, 22);
}
