import { SharedStore } from '../../../src/gateway/cache/shared-store.js';
import { coalesceThroughRedis } from '../../../src/gateway/coordination/redis-single-flight.js';
import type { ResultStore } from '../../../src/gateway/query/result-store.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { newPrefix, openTestRedis, sharedRedisUrl } from '../../support/test-redis.js';

/** Longer than Redis takes to reply, and shorter than a lease. */
const BUSY_MS = 400;
/** Longer than a lease. */
const LONG_BUSY_MS = 1700;
/** A token of another gateway. */
const OTHER = 'f'.repeat(32);

/** Blocks the event loop. */
function beBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Runs one iteration of the event loop. */
const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('identical misses of gateways whose event loop is blocked', () => {
  let gateways: TestExecution[];
  beforeEach(() => {
    gateways = [];
  });
  afterEach(async () => {
    for (const { close } of gateways) await close();
  });

  it('cause one query, even if the replies of Redis arrive before the process reads them', async () => {
    const runQuery = new FakeRunQuery();
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    for (let n = 0; n < 3; n += 1) gateways.push(await openTestExecution({ environment, runQuery }));
    for (let turns = 1; turns <= 4; turns += 1) {
      const requests = gateways.flatMap(({ requestCity }) =>
        Array.from({ length: 20 }, () => requestCity(`city ${turns}`)),
      );
      // Each iteration sends the next commands, whose replies arrive while the process is blocked.
      for (let turn = 0; turn < turns; turn += 1) await oneTurn();
      beBusy(BUSY_MS);
      await Promise.all(requests);
      expect(runQuery.requests).toHaveLength(turns);
    }
  });
});

describe('the owner of a lease', () => {
  it('starts no query after its lease ended, and waits for the gateway that owns the lease now', async () => {
    const { client, redis, keys, close } = await openTestRedis();
    const key = sampleKey('a query');
    const lock = keys.lock(key, 'miss');
    const clock = (): Date => new Date();
    const store = new SharedStore(redis, keys, 100_000, clock);
    const slowStore: ResultStore = {
      set: store.set,
      purge: store.purge,
      get: async (_key, newerThan, lease) => {
        const found = await store.get(key, newerThan, lease);
        if (!lease) return found;
        beBusy(LONG_BUSY_MS);
        await client.set(lock, OTHER, 'PX', 300);
        return found;
      },
    };
    const share = coalesceThroughRedis({
      ...{ redis, keys, store: slowStore, clock },
      ...{ maxWaitMs: 10_000, accepts: () => true },
    });
    const owners: (string | null)[] = [];
    const requestCity = async () => {
      owners.push(await client.get(lock));
      return sampleResult({ createdAt: Date.now() });
    };
    try {
      const fetched = await share(key, new AbortController().signal, requestCity);
      expect(fetched.isCollapsed).toBe(false);
      expect(owners).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
      expect(owners).not.toContain(OTHER);
    } finally {
      close();
    }
  });
});
