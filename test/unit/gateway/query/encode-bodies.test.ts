import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { bodiesOf, digestOf } from '../../../../src/gateway/query/encode-bodies.js';
import type { Bodies } from '../../../../src/gateway/query/endpoint-result.js';

const body = (bytes: number): Buffer => Buffer.from('{"result":[]} '.repeat(bytes)).subarray(0, bytes);

/** The bodies when every encoding is ready, or failed. */
const complete = async ({ identity, pending }: Bodies): Promise<Bodies> => {
  const [br, gzip] = await Promise.all([pending?.in('br'), pending?.in('gzip')]);
  return { identity, ...(br && { br }), ...(gzip && { gzip }) };
};

describe('bodiesOf', () => {
  it.each([0, 1, 1024])('does not compress %i bytes', (bytes) => {
    expect(bodiesOf(body(bytes))).toEqual({ identity: body(bytes) });
  });

  it.each([1025, 4500, 1_000_000])('compresses %i bytes with gzip and Brotli without loss', async (bytes) => {
    const { identity, gzip, br } = await complete(bodiesOf(body(bytes)));
    if (!gzip || !br) throw new Error('an encoding is missing');
    expect(identity.equals(body(bytes))).toBe(true);
    expect(gunzipSync(gzip).equals(identity)).toBe(true);
    expect(brotliDecompressSync(br).equals(identity)).toBe(true);
  });

  it('keeps no larger buffers in memory', async () => {
    const { identity, gzip, br } = await complete(bodiesOf(body(4500)));
    for (const bytes of [identity, gzip, br]) expect(bytes?.buffer.byteLength).toBe(bytes?.length);
  });

  it('compresses nothing until an encoding is needed, and each encoding once', async () => {
    const compressed: string[] = [];
    const compressAs = (encoding: string) => (): Promise<Buffer> => {
      compressed.push(encoding);
      return Promise.resolve(Buffer.from(encoding));
    };
    const bodies = bodiesOf(body(4500), { br: compressAs('br'), gzip: compressAs('gzip') });
    const { pending } = bodies;
    expect(compressed).toEqual([]);
    expect(await Promise.all([pending?.in('gzip'), pending?.in('gzip')])).toEqual([
      Buffer.from('gzip'),
      Buffer.from('gzip'),
    ]);
    expect(compressed).toEqual(['gzip']);
    expect(await complete(bodies)).toMatchObject({ br: Buffer.from('br'), gzip: Buffer.from('gzip') });
    expect(compressed).toEqual(['gzip', 'br']);
  });

  it('has no body in an encoding that fails', async () => {
    const fail = (): Promise<Buffer> => Promise.reject(new Error('out of memory'));
    const bodies = bodiesOf(body(4500), { br: fail, gzip: () => Promise.resolve(Buffer.of(1)) });
    expect(await bodies.pending?.in('br')).toBeUndefined();
    expect(await complete(bodies)).toEqual({ identity: body(4500), gzip: Buffer.of(1) });
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
