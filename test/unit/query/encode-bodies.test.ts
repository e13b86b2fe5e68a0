import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { digestOf, encodeBodies } from '../../../src/query/encode-bodies.js';

const body = (bytes: number): Buffer => Buffer.from('{"result":[]} '.repeat(bytes)).subarray(0, bytes);

describe('encodeBodies', () => {
  it.each([0, 1, 1024])('does not compress %i bytes', async (bytes) => {
    expect(await encodeBodies(body(bytes))).toEqual({ identity: body(bytes) });
  });

  it.each([1025, 4500, 1_000_000])('compresses %i bytes with gzip and Brotli without loss', async (bytes) => {
    const { identity, gzip, br } = await encodeBodies(body(bytes));
    if (!gzip || !br) throw new Error('an encoding is missing');
    expect(identity.equals(body(bytes))).toBe(true);
    expect(gunzipSync(gzip).equals(identity)).toBe(true);
    expect(brotliDecompressSync(br).equals(identity)).toBe(true);
  });

  it('keeps no larger buffers in memory', async () => {
    const { identity, gzip, br } = await encodeBodies(body(4500));
    for (const bytes of [identity, gzip, br]) expect(bytes?.buffer.byteLength).toBe(bytes?.length);
  });
});

describe('digestOf', () => {
  it('is the first 128 bits of SHA-256 in base64url', () => {
    const digest = digestOf(body(100));
    expect(digest).toHaveLength(22);
    const sha256 = createHash('sha256').update(body(100)).digest();
    expect(Buffer.from(digest, 'base64url')).toEqual(sha256.subarray(0, 16));
  });
});
