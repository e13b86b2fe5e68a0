import { encodeResult } from '../../../src/gateway/cache/result-codec.js';
import { SharedStore } from '../../../src/gateway/cache/shared-store.js';
import { RedisLease } from '../../../src/gateway/coordination/redis-lease.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { openTestRedis, type TestRedis } from '../../support/test-redis.js';

const KEY = sampleKey('a query');
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

/** Overwrites the result's key, as a foreign program or a fault would. */
const INVALID_ENTRIES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['nothing', () => server.client.set(name, '')],
  ['a foreign text', () => server.client.set(name, '{"result":[]}')],
  [
    'a foreign text with digits in place of the times',
    () => server.client.set(name, `XXXX${'9'.repeat(100)}`),
  ],
  ['a value of an older format', () => server.client.set(name, Buffer.concat([Buffer.from('QGA1'), bytes]))],
  [
    'a newer value of another key',
    () =>
      server.client.set(name, encodeResult(sampleKey('another query'), sampleResult({ createdAt: NOW + 1 }))),
  ],
  ['a truncated value', () => server.client.set(name, bytes.subarray(0, -1))],
  ['a value without its bodies', () => server.client.set(name, bytes.subarray(0, 120))],
  ['a value with an extra byte', () => server.client.set(name, Buffer.concat([bytes, Buffer.of(0)]))],
  ['a list', () => server.client.rpush(name, 'a')],
  ['a hash', () => server.client.hset(name, 'a', '1')],
];

describe('RedisStore', () => {
  it.each(INVALID_ENTRIES)('treats %s as a miss, and replaces it', async (_what, invalid) => {
    await invalid();
    expect(await store.get(KEY)).toBeUndefined();
    await store.set(KEY, RESULT, NOW + 60_000);
    expect(await store.get(KEY)).toEqual(RESULT);
    expect(server.states).toEqual([]);
  });

  it('treats a value with any one bit flipped as a miss', async () => {
    for (let at = 0; at < bytes.length; at += 1) {
      await server.client.set(name, flipped(at));
      expect([at, await store.get(KEY)]).toEqual([at, undefined]);
    }
  });

  it('treats a value truncated anywhere as a miss', async () => {
    for (let length = 0; length < bytes.length; length += 1) {
      await server.client.set(name, bytes.subarray(0, length));
      expect([length, await store.get(KEY)]).toEqual([length, undefined]);
    }
  });

  describe('with a lease', () => {
    const newLease = (): RedisLease => new RedisLease(server.redis, server.keys.lock(KEY, 'miss'), 600_000);
    const key = { ...KEY, cachingMs: 3_600_000 };
    const [createdAt, expiresAt] = [NOW - 4000, NOW + 3000];

    it.each([
      ['a fresh result', RESULT, undefined, false],
      ['a fresh result that is newer', RESULT, NOW - 1, false],
      ['a fresh result that is not newer', RESULT, NOW, true],
      ['an expired result', sampleResult({ createdAt, expiresAt: NOW - 1 }), undefined, true],
      [
        'a result that its writer alone takes for fresh',
        sampleResult({ createdAt, expiresAt }),
        undefined,
        true,
      ],
      ['nothing', undefined, undefined, true],
    ])('finds %s, and takes it where that is not to use', async (what, result, newerThan, isTaken) => {
      const atNow = new SharedStore(server.redis, server.keys, 100_000, () => new Date(NOW));
      const reader = what.includes('writer') ? { ...key, cachingMs: 1000 } : key;
      if (result) await atNow.set(KEY, result, NOW + 60_000);
      const lease = newLease();
      const found = await atNow.get(reader, newerThan, lease);
      expect([found?.createdAt, lease.isAsked, lease.isHeld]).toEqual([result?.createdAt, isTaken, isTaken]);
    });

    it.each(INVALID_ENTRIES)(
      'takes it where it finds %s, unless that begins as a fresh result does',
      async (what, invalid) => {
        await invalid();
        const lease = newLease();
        const found = await store.get(key, undefined, lease);
        const isTaken = !/newer|truncated|without|extra/.test(what);
        expect([found, lease.isAsked, lease.isHeld]).toEqual([undefined, isTaken, isTaken]);
      },
    );

    it('learns who owns it, and whether Redis replies', async () => {
      const [owner, other] = [newLease(), newLease()];
      for (const lease of [owner, other]) await store.get(key, undefined, lease);
      expect([other.owner, other.isHeld]).toEqual([owner.token, false]);
      server.close();
      await store.get(key, undefined, other);
      expect([other.isAsked, other.owner]).toEqual([true, undefined]);
    });

    it('ends its own with the storing of a result, also where a newer one stays, and no other one', async () => {
      for (const createdAt of [NOW, NOW - 1]) {
        const lease = newLease();
        await lease.takeOrRenew();
        await store.set(KEY, sampleResult({ createdAt }), NOW + 60_000, newLease());
        expect(await server.client.get(lease.key)).toBe(lease.token);
        await store.set(KEY, sampleResult({ createdAt }), NOW + 60_000, lease);
        expect([lease.isHeld, await server.client.exists(lease.key)]).toEqual([false, 0]);
      }
    });

    it('keeps it where the result is too large to be stored', async () => {
      const lease = newLease();
      await lease.takeOrRenew();
      const tooLarge = sampleResult({ createdAt: NOW, bodies: { identity: Buffer.alloc(100_001) } });
      await store.set(KEY, tooLarge, NOW + 60_000, lease);
      expect(lease.isHeld).toBe(true);
    });
  });

  it('sets an expiry on every key, which a later write of the same result does not extend', async () => {
    await store.set(KEY, RESULT, NOW + 60_000);
    await store.get(KEY);
    expect(await server.client.pexpiretime(name)).toBe(NOW + 60_000);
    await store.set(KEY, sampleResult({ createdAt: NOW + 1 }), NOW + 50_000);
    expect(await server.client.pexpiretime(name)).toBe(NOW + 50_000);
  });

  it('does not store a result that no request can use any more', async () => {
    await store.set(KEY, RESULT, NOW - 1);
    expect(await server.names()).toEqual([]);
  });

  it('purges thousands of results, and no key with another prefix', async () => {
    const results = Array.from({ length: 3000 }, (_, n) => [server.keys.result(sampleKey(String(n))), 'x']);
    await server.client.mset(results.flat());
    expect(await server.names()).toHaveLength(3000);
    const foreign = `other-${name}`;
    await server.client.set(foreign, 'x', 'EX', 60);
    await store.purge({});
    expect(await server.names()).toEqual([]);
    expect(await server.client.exists(foreign)).toBe(1);
  });

  it('copies a result into memory of its own instead of retaining a view of the socket’s buffer', async () => {
    const big = sampleResult({ createdAt: NOW, bodies: { identity: Buffer.alloc(90_000, 'a') } });
    for (const result of [big, RESULT]) {
      await store.set(KEY, { ...result, createdAt: Date.now() }, Date.now() + 60_000);
      const { identity, gzip, br } = (await store.get(KEY))?.bodies ?? big.bodies;
      const storedBytes = identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
      expect(identity.buffer.byteLength).toBe(storedBytes);
    }
  });
});
