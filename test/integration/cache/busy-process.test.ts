import { SharedStore } from '../../../src/cache/shared-store.js';
import { coalesceThroughRedis } from '../../../src/coordination/redis-single-flight.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { newPrefix, openTestRedis, sharedRedisUrl } from '../../support/test-redis.js';

/** Longer than Redis may take to reply, and less than a lock lasts. */
const BUSY_MS = 400;
/** Longer than a lock lasts. */
const LONG_BUSY_MS = 1700;
/** A token of another gateway. */
const OTHER = 'f'.repeat(32);

/** Keeps the event loop from doing anything else. */
function beBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Lets the event loop go round once. */
const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('equal misses of gateways whose process is busy', () => {
  let gateways: TestExecution[];
  beforeEach(() => {
    gateways = [];
  });
  afterEach(async () => {
    for (const { close } of gateways) await close();
  });

  it('cause one query, where the replies of Redis have arrived before they are read', async () => {
    const runQuery = new FakeRunQuery();
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    for (let n = 0; n < 3; n += 1) gateways.push(await openTestExecution({ environment, runQuery }));
    for (let turns = 1; turns <= 4; turns += 1) {
      const requests = gateways.flatMap(({ requestCity }) =>
        Array.from({ length: 20 }, () => requestCity(`city ${turns}`)),
      );
      // Each turn sends the next commands, whose replies then arrive while the process is busy.
      for (let turn = 0; turn < turns; turn += 1) await oneTurn();
      beBusy(BUSY_MS);
      await Promise.all(requests);
      expect(runQuery.requests).toHaveLength(turns);
    }
  });
});

describe('the holder of a lock', () => {
  it('starts no query after its lease, but waits for the gateway that has the lock since', async () => {
    const { client, redis, keys, close } = await openTestRedis();
    const key = sampleKey('a question');
    const lock = keys.lock(key);
    const clock = (): Date => new Date();
    const store = new SharedStore(redis, keys, 100_000, clock);
    let isFirst = true;
    const slowStore = {
      set: store.set,
      purge: store.purge,
      get: async () => {
        if (!isFirst) return store.get(key);
        isFirst = false;
        beBusy(LONG_BUSY_MS);
        await client.set(lock, OTHER, 'PX', 300);
        return undefined;
      },
    };
    const share = coalesceThroughRedis({ redis, keys, store: slowStore, clock, maxWaitMs: 10_000 });
    const owners: (string | null)[] = [];
    const requestCity = async () => {
      owners.push(await client.get(lock));
      return sampleResult({ createdAt: Date.now() });
    };
    try {
      const fetched = await share(
        key,
        new AbortController().signal,
        requestCity,
        ({ expiresAt }) => expiresAt,
      );
      expect(fetched.isCollapsed).toBe(false);
      expect(owners).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
      expect(owners).not.toContain(OTHER);
    } finally {
      close();
    }
  });
});
