import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { inOwnMemory, type Bodies, type Compressed, type PendingEncodings } from './endpoint-result.js';

/** Compressing a smaller body saves nothing that a caller would notice. */
const WORTHWHILE_BYTES = 1024;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Each encoding has one level, so that one ETag means one sequence of bytes. In the thread pool. */
const COMPRESS: Readonly<Record<Compressed, (identity: Buffer) => Promise<Buffer>>> = {
  br: (identity) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
    };
    return compressBrotli(identity, { params });
  },
  gzip: (identity) => compressGzip(identity, { level: 6 }),
};

/** The bodies of a result that is cached: its encodings are pending where compressing it is worthwhile. */
export function bodiesOf(body: Buffer, compress = COMPRESS): Bodies {
  const identity = inOwnMemory(body);
  if (identity.length <= WORTHWHILE_BYTES) return { identity };
  return { identity, pending: new EncodingsOnDemand(identity, compress) };
}

/** Compresses a body once in each encoding, at first in those that a caller waits for. */
class EncodingsOnDemand implements PendingEncodings {
  private readonly started = new Map<Compressed, Promise<Buffer | undefined>>();

  constructor(
    private readonly identity: Buffer,
    private readonly compress: typeof COMPRESS,
  ) {}

  in(encoding: Compressed): Promise<Buffer | undefined> {
    const started = this.started.get(encoding) ?? this.start(encoding);
    this.started.set(encoding, started);
    return started;
  }

  async complete(): Promise<Bodies> {
    await Promise.all(this.started.values());
    const [br, gzipped] = await Promise.all([this.in('br'), this.in('gzip')]);
    return { identity: this.identity, ...(br && { br }), ...(gzipped && { gzip: gzipped }) };
  }

  /** A response without an encoding is better than none: out of memory, the caller gets the body as it is. */
  private start(encoding: Compressed): Promise<Buffer | undefined> {
    return this.compress[encoding](this.identity).then(inOwnMemory, () => undefined);
  }
}

/** The digest that ETags contain: the first 128 bits of SHA-256. */
export function digestOf(identity: Buffer): string {
  return hash('sha256', identity, 'base64url').slice(0, 22);
}
