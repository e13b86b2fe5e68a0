import { encodeResult } from '../../../src/cache/result-codec.js';
import { SharedStore } from '../../../src/cache/shared-store.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { openTestRedis, type TestRedis } from '../../support/test-redis.js';

const KEY = sampleKey('a question');
const NOW = Date.now();
const RESULT = sampleResult({ createdAt: NOW });

let server: TestRedis;
let store: SharedStore;
let name: string;

beforeEach(async () => {
  server = await openTestRedis();
  store = new SharedStore(server.redis, server.keys, 100_000, () => new Date());
  name = server.keys.result(KEY);
});
afterEach(() => {
  server.close();
});

const bytes = encodeResult(KEY, RESULT);
const flipped = (at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};

/** Puts something at the answer's place, as a foreign program or a fault would. */
const INVALID_ENTRIES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['nothing', () => server.client.set(name, '')],
  ['a foreign text', () => server.client.set(name, '{"result":[]}')],
  ['a foreign text with digits where times stand', () => server.client.set(name, `XXXX${'9'.repeat(100)}`)],
  ['a value of an older format', () => server.client.set(name, Buffer.concat([Buffer.from('QGA1'), bytes]))],
  [
    'a newer value of another key',
    () =>
      server.client.set(
        name,
        encodeResult(sampleKey('another question'), sampleResult({ createdAt: NOW + 1 })),
      ),
  ],
  ['a truncated value', () => server.client.set(name, bytes.subarray(0, -1))],
  ['a value without its bodies', () => server.client.set(name, bytes.subarray(0, 120))],
  ['a value with a byte too many', () => server.client.set(name, Buffer.concat([bytes, Buffer.of(0)]))],
  ['a list', () => server.client.rpush(name, 'a')],
  ['a hash', () => server.client.hset(name, 'a', '1')],
];

describe('RedisStore', () => {
  it.each(INVALID_ENTRIES)('misses %s, and replaces it', async (_what, invalid) => {
    await invalid();
    expect(await store.get(KEY)).toBeUndefined();
    await store.set(KEY, RESULT, NOW + 60_000);
    expect(await store.get(KEY)).toEqual(RESULT);
    expect(server.states).toEqual([]);
  });

  it('misses a value with any one bit flipped', async () => {
    for (let at = 0; at < bytes.length; at += 1) {
      await server.client.set(name, flipped(at));
      expect([at, await store.get(KEY)]).toEqual([at, undefined]);
    }
  });

  it('misses a value that was cut anywhere', async () => {
    for (let length = 0; length < bytes.length; length += 1) {
      await server.client.set(name, bytes.subarray(0, length));
      expect([length, await store.get(KEY)]).toEqual([length, undefined]);
    }
  });

  it('gives every key an expiry, which a later answer of the same age does not lengthen beyond its own', async () => {
    await store.set(KEY, RESULT, NOW + 60_000);
    await store.get(KEY);
    expect(await server.client.pexpiretime(name)).toBe(NOW + 60_000);
    await store.set(KEY, sampleResult({ createdAt: NOW + 1 }), NOW + 50_000);
    expect(await server.client.pexpiretime(name)).toBe(NOW + 50_000);
  });

  it('keeps nothing that is of no use to anybody any more', async () => {
    await store.set(KEY, RESULT, NOW - 1);
    expect(await server.names()).toEqual([]);
  });

  it('purges thousands of answers, and nothing of another prefix', async () => {
    const pipeline = server.client.pipeline();
    for (let n = 0; n < 3000; n += 1) pipeline.set(server.keys.result(sampleKey(String(n))), 'x', 'EX', 60);
    await pipeline.exec();
    const foreign = `other-${name}`;
    await server.client.set(foreign, 'x', 'EX', 60);
    await store.purge({});
    expect(await server.names()).toEqual([]);
    expect(await server.client.exists(foreign)).toBe(1);
  });

  it('holds an answer in memory of its own, not in a view of what the socket read', async () => {
    const big = sampleResult({ createdAt: NOW, bodies: { identity: Buffer.alloc(90_000, 'a') } });
    for (const result of [big, RESULT]) {
      await store.set(KEY, { ...result, createdAt: Date.now() }, Date.now() + 60_000);
      const { identity, gzip, br } = (await store.get(KEY))?.bodies ?? big.bodies;
      const storedBytes = identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
      expect(identity.buffer.byteLength).toBe(storedBytes);
    }
  });
});
