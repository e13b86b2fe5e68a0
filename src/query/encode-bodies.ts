import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { inOwnMemory, type Bodies } from './endpoint-result.js';

/** Compressing a smaller body saves nothing that a caller would notice. */
const WORTHWHILE_BYTES = 1024;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Compresses a body once for all later requests, in the thread pool. */
export async function encodeBodies(identity: Buffer): Promise<Bodies> {
  if (identity.length <= WORTHWHILE_BYTES) return { identity: inOwnMemory(identity) };
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  const [br, gzipped] = await Promise.all([
    compressBrotli(identity, { params }),
    compressGzip(identity, { level: 6 }),
  ]);
  return { identity: inOwnMemory(identity), br: inOwnMemory(br), gzip: inOwnMemory(gzipped) };
}

/** The digest that ETags contain: the first 128 bits of SHA-256. */
export function digestOf(identity: Buffer): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, 22);
}
