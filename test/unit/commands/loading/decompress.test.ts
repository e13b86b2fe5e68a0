import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { decompress } from '../../../../src/commands/loading/decompress.js';
import { InputFailure } from '../../../../src/commands/loading/load-error.js';
import { chunks, drain, inChunksOf } from './streams.js';

/** Long enough for several chunks of zlib, and hard to compress. */
const TEXT = Buffer.from(Array.from({ length: 5_000 }, (_, index) => `${Math.sin(index)}\n`).join(''));

async function decompressed(bytes: Buffer, chunkSize = 1000): Promise<{ bytes: Buffer; error: unknown }> {
  const { items, error } = await drain(decompress(inChunksOf(chunkSize, bytes)));
  return { bytes: Buffer.concat(items), error };
}

describe('decompress', () => {
  it.each([1, 2, 3, 17, 64, 1000])('reads several members, in chunks of %d', async (size) => {
    const members = ['one\n', '', 'two\n', 'three'].map((text) => gzipSync(text));
    expect(await decompressed(Buffer.concat(members), size)).toEqual({
      bytes: Buffer.from('one\ntwo\nthree'),
      error: undefined,
    });
  });

  it.each([10, 100_000])('ignores zeros after the last member, in chunks of %d', async (size) => {
    const padded = Buffer.concat([gzipSync('text'), Buffer.alloc(50_000)]);
    expect(await decompressed(padded, size)).toEqual({ bytes: Buffer.from('text'), error: undefined });
  });

  it.each([
    ['ends too early', (zipped: Buffer) => zipped.subarray(0, -9), 'the gzip data ends too early'],
    [
      'has a wrong checksum',
      (zipped: Buffer) => Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)]),
      expect.stringContaining('incorrect data check') as string,
    ],
  ])('delivers all but some kilobytes before it fails on data that %s', async (_, damaged, message) => {
    const { bytes, error } = await decompressed(damaged(gzipSync(TEXT)));
    expect(bytes.equals(TEXT.subarray(0, bytes.length))).toBe(true);
    expect(bytes.length).toBeGreaterThan(TEXT.length - 64 * 1024);
    expect(error).toBeInstanceOf(InputFailure);
    expect(error).toMatchObject({ message });
  });

  it('fails on other bytes after the last member', async () => {
    const { error } = await decompressed(Buffer.concat([gzipSync('text'), Buffer.from('rest')]));
    expect(error).toBeInstanceOf(InputFailure);
  });

  it('closes its source when its reader stops early', async () => {
    // Streams read ahead, from Node 22 on 64 kB each.
    const source = inChunksOf(1000, gzipSync(randomBytes(1_000_000)));
    const reader = decompress(source);
    await reader.next();
    await reader.return(undefined);
    if (!source.closed) await new Promise((resolve) => source.once('close', resolve));
    expect(source.readableEnded).toBe(false);
  });

  it('throws the error of its source', async () => {
    const failure = new Error('disk');
    const { error } = await drain(decompress(chunks(gzipSync(TEXT).subarray(0, 20_000), failure)));
    expect(error).toBe(failure);
  });
});
