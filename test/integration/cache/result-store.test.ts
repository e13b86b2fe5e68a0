import { LocalStore } from '../../../src/gateway/cache/local-store.js';
import { PurgeGuard } from '../../../src/gateway/cache/purge-guard.js';
import { SharedStore } from '../../../src/gateway/cache/shared-store.js';
import { TieredStore } from '../../../src/gateway/cache/tiered-store.js';
import { isFresh } from '../../../src/gateway/query/endpoint-result.js';
import type { ResultStore } from '../../../src/gateway/query/result-store.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { SettableClock } from '../../support/settable-clock.js';
import { openTestRedis, type TestRedis } from '../../support/test-redis.js';

const KEY = sampleKey('a query');
const OTHER_ENDPOINT = '99999999-2222-4333-8444-555555555555';
const MAX_BYTES = 100_000;
const HOUR_MS = 3_600_000;

let server: TestRedis;
let time: SettableClock;

beforeEach(async () => {
  server = await openTestRedis();
  time = new SettableClock();
});
afterEach(() => {
  server.close();
});

const memory = (): LocalStore => new LocalStore(MAX_BYTES, time.clock);
const redis = (): SharedStore => new SharedStore(server.redis, server.keys, MAX_BYTES, time.clock);
const tiered = (): TieredStore => new TieredStore(memory(), redis());

const STORES: readonly (readonly [string, () => ResultStore])[] = [
  ['MemoryStore', memory],
  ['RedisStore', redis],
  ['TieredStore', tiered],
  ['PurgeGuard over a MemoryStore', () => new PurgeGuard(memory(), time.clock)],
  ['PurgeGuard over a TieredStore', () => new PurgeGuard(tiered(), time.clock)],
];

/** Times of a result, in milliseconds after now; by default it expires after the key's caching time. */
const ahead = ({ createdAt, expiresAt }: { createdAt: number; expiresAt?: number }) => ({
  createdAt: time.now + createdAt,
  expiresAt: time.now + (expiresAt ?? createdAt + KEY.cachingMs),
});

/** Advances both clocks: the test's, and the real one that Redis uses. */
const elapse = async (ms: number): Promise<void> => {
  const end = time.now + ms;
  time.advance(ms);
  await pollUntil(`the real time is ${end}`, () => Date.now() >= end || undefined);
};

describe.each(STORES)('%s', (_name, open) => {
  let store: ResultStore;

  beforeEach(() => {
    store = open();
  });

  it('returns what was stored, byte for byte, with all fields and encodings', async () => {
    const result = sampleResult({ createdAt: time.now });
    await store.set(KEY, result, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(result);
  });

  it('returns a result that has only the identity encoding and no bytes', async () => {
    const result = sampleResult({ createdAt: time.now, bodies: { identity: Buffer.alloc(0) } });
    await store.set(KEY, result, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(result);
  });

  it('misses a key that was never set', async () => {
    await store.set(sampleKey('another query'), sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await store.get(KEY)).toBeUndefined();
  });

  it('returns a stale result until usableUntil', async () => {
    const result = sampleResult({ createdAt: time.now, expiresAt: time.now + 50 });
    await store.set(KEY, result, time.now + 10_000);
    await elapse(100);
    const cached = await store.get(KEY);
    expect(cached).toEqual(result);
    expect(cached && isFresh(cached, time.now)).toBe(false);
  });

  it('misses from usableUntil on, however often the result was read', async () => {
    const usableUntil = time.now + 300;
    await store.set(KEY, sampleResult({ createdAt: time.now, expiresAt: usableUntil }), usableUntil);
    await elapse(100);
    expect(await store.get(KEY)).toBeDefined();
    await elapse(200);
    await pollUntil('the result is removed', async () => !(await store.get(KEY)) || undefined, 100);
  });

  it('replaces a result with a newer one, and never with an older one', async () => {
    const [older, newer] = [sampleResult({ createdAt: time.now - 5 }), sampleResult({ createdAt: time.now })];
    await store.set(KEY, older, time.now + 60_000);
    await store.set(KEY, newer, time.now + 60_000);
    await store.set(KEY, older, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(newer);
  });

  it.each([
    ['was created', { createdAt: 5000 }],
    ['expires', { expiresAt: KEY.cachingMs + 5000 }],
  ])('returns a result that %s within the clock tolerance, and accepts no older one', async (_what, late) => {
    const result = sampleResult(ahead({ createdAt: 1, ...late }));
    await store.set(KEY, result, time.now + 600_000);
    await store.set(KEY, sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await store.get(KEY)).toEqual(result);
  });

  it.each([
    ['was created', { createdAt: 5001 }],
    ['was created an hour', { createdAt: HOUR_MS }],
    ['expires', { expiresAt: KEY.cachingMs + 5001 }],
    ['expires an hour', { expiresAt: HOUR_MS }],
  ])('misses a result that %s beyond the clock tolerance, and accepts an older one', async (_what, late) => {
    await store.set(KEY, sampleResult(ahead({ createdAt: 1, ...late })), time.now + 2 * HOUR_MS);
    expect(await store.get(KEY)).toBeUndefined();
    const result = sampleResult({ createdAt: time.now });
    await store.set(KEY, result, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(result);
  });

  it('misses a result stored before the clock was set back, and accepts an older one', async () => {
    time.advance(HOUR_MS);
    await store.set(KEY, sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await store.get(KEY)).toBeDefined();
    time.advance(-HOUR_MS);
    const result = sampleResult({ createdAt: time.now });
    await store.set(KEY, result, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(result);
  });

  it.each([
    ['all results', {}, [false, false, false]],
    ['the results of an endpoint', { endpointId: KEY.endpointId }, [false, false, true]],
    ['one', KEY, [false, true, true]],
  ])('purges %s', async (_scope, scope, remaining) => {
    const keys = [KEY, sampleKey('second'), sampleKey('third', OTHER_ENDPOINT)];
    for (const key of keys) await store.set(key, sampleResult({ createdAt: time.now }), time.now + 60_000);
    await store.purge({ ...scope, createdUntil: time.now });
    expect(
      (await Promise.all(keys.map((key) => store.get(key)))).map((result) => result !== undefined),
    ).toEqual(remaining);
  });

  it('retains a result that is created after a purge', async () => {
    await store.purge({ createdUntil: time.now });
    time.advance(1);
    await store.set(KEY, sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await store.get(KEY)).toBeDefined();
  });
});

describe('MemoryStore and RedisStore as a TieredStore', () => {
  it('returns what another process has replaced once the local entry has expired', async () => {
    const local = memory();
    const sharedHits: string[] = [];
    const store = new TieredStore(local, redis(), ({ hash }) => sharedHits.push(hash));
    const own = sampleResult({ createdAt: time.now, expiresAt: time.now + 100 });
    await store.set(KEY, own, time.now + 60_000);
    time.advance(100);
    expect(await store.get(KEY)).toEqual(own);
    const others = sampleResult({ createdAt: time.now });
    await redis().set(KEY, others, time.now + 60_000);
    expect(await store.get(KEY)).toEqual(others);
    expect(local.find(KEY.hash)).toEqual(others);
    expect(sharedHits).toEqual([KEY.hash]);
  });

  it('caches locally what it found in the shared cache until usableUntil', async () => {
    const local = memory();
    const store = new TieredStore(local, redis());
    const result = sampleResult({ createdAt: time.now, expiresAt: time.now + 500 });
    await redis().set(KEY, result, time.now + 60_000);
    await store.get({ ...KEY, staleMs: 500 });
    time.advance(999);
    expect(local.find(KEY.hash)).toEqual(result);
    time.advance(1);
    expect(local.find(KEY.hash)).toBeUndefined();
  });

  it('stores huge results in the local cache only', async () => {
    const local = new LocalStore(10 * MAX_BYTES, time.clock);
    const store = new TieredStore(local, redis());
    const huge = (bytes: number) =>
      sampleResult({ createdAt: time.now, bodies: { identity: Buffer.alloc(bytes, 'a') } });
    await store.set(KEY, huge(MAX_BYTES + 1), time.now + 60_000);
    expect(await store.get(KEY)).toBeDefined();
    expect(await server.names()).toEqual([]);
    await store.set(sampleKey('just small enough'), huge(MAX_BYTES), time.now + 60_000);
    expect(await server.names()).toHaveLength(1);
  });
});
