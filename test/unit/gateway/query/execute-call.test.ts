import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import type { EndpointSettings } from '../../../../src/endpoint/definition.js';
import { ERRORS, Failure, type ErrorCode } from '../../../../src/gateway/errors.js';
import { keyOf } from '../../../../src/gateway/query/cache-key.js';
import type { CallOutcome, Call } from '../../../../src/gateway/query/call.js';
import {
  executeCall as execute,
  hitOf,
  type QueryParts,
} from '../../../../src/gateway/query/execute-call.js';
import { FakeRunQuery, resultOf } from '../../../support/fake-run-query.js';
import { queryParts } from '../../../support/query-parts.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { SettableClock } from '../../../support/settable-clock.js';

const CACHING_SECONDS = 60;
const STALE_SECONDS = 300;

let time: SettableClock;
let store: LocalStore;
let runQuery: FakeRunQuery;
let parts: QueryParts;
let statuses: string[];

beforeEach(() => {
  time = new SettableClock();
  store = new LocalStore(1e6, time.clock);
  runQuery = new FakeRunQuery();
  statuses = [];
  parts = queryParts({
    ...{ runQuery: runQuery.run, store, clock: time.clock },
    onOutcome: (_query, _key, { status }) => statuses.push(status),
  });
});

const executeCall = (of: Call): Promise<CallOutcome> => execute(parts, of);
const call = (changes: Partial<Call> = {}, settings: Partial<EndpointSettings> = {}): Call => ({
  endpoint: sampleEndpoint({ caching: CACHING_SECONDS, staleIfError: STALE_SECONDS, ...settings }),
  values: new Map([['city', 'Rome']]),
  scope: '',
  requestId: 'execute-call',
  signal: new AbortController().signal,
  demand: 'any',
  ...changes,
});
const statusOf = async (queryCount: Promise<CallOutcome>): Promise<string> => (await queryCount).status;
const queryCount = (): number => runQuery.requests.length;

describe('a result', () => {
  it('is fresh for the endpoint’s caching time from the start of its query', async () => {
    runQuery.respondWith(() => {
      time.advance(20_000);
      return Promise.resolve(resultOf([]));
    });
    const startedAt = time.now;
    const { result, status } = await executeCall(call());
    expect([status, result.createdAt, result.expiresAt]).toEqual([
      'MISS',
      startedAt,
      startedAt + CACHING_SECONDS * 1000,
    ]);
    time.advance(CACHING_SECONDS * 1000 - 20_000 - 1);
    expect(await statusOf(executeCall(call()))).toBe('HIT');
    time.advance(1);
    expect(await statusOf(executeCall(call()))).toBe('MISS');
    expect(statuses).toEqual(['MISS', 'HIT', 'MISS']);
  });

  it('does not stay fresh longer when it is read', async () => {
    const { result } = await executeCall(call());
    for (let second = 1; second < CACHING_SECONDS; second += 1) {
      time.advance(1000);
      expect((await executeCall(call())).result).toBe(result);
    }
    time.advance(1000);
    expect(await statusOf(executeCall(call()))).toBe('MISS');
    expect(queryCount()).toBe(2);
  });

  it('is found in the local cache while it is fresh', async () => {
    const request = call();
    const find = (): CallOutcome | undefined =>
      hitOf(store.find(keyOf(request).hash), time.clock().getTime());
    expect(find()).toBeUndefined();
    const { result } = await executeCall(request);
    expect(find()).toEqual(await executeCall(request));
    expect(find()?.result).toBe(result);
    time.advance(CACHING_SECONDS * 1000);
    expect(find()).toBeUndefined();
  });
});

describe('while ClickHouse fails', () => {
  const upstream = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => code.startsWith('CLICKHOUSE_'));

  it.each([...upstream, 'QUERY_TIMEOUT'] as const)('returns a stale result instead of %s', async (code) => {
    const { result } = await executeCall(call());
    time.advance(CACHING_SECONDS * 1000 + 5000);
    runQuery.fail(new Failure(code, 'It failed.'));
    const stale = await executeCall(call());
    expect([stale.status, stale.result]).toEqual(['STALE', result]);
    expect(time.now - stale.result.createdAt).toBe(CACHING_SECONDS * 1000 + 5000);
    expect(queryCount()).toBe(2);
  });

  it.each(['INVALID_PARAMETERS', 'BAD_REGULAR_EXPRESSION', 'QUERY_READS_TOO_MUCH', 'INTERNAL'] as const)(
    'returns no stale result instead of %s',
    async (code) => {
      await executeCall(call());
      time.advance(CACHING_SECONDS * 1000);
      runQuery.fail(new Failure(code, 'It failed.'));
      await expect(executeCall(call())).rejects.toMatchObject({ status: expect.any(Number) as number });
      expect(statuses).toEqual(['MISS']);
    },
  );

  it('returns a stale result until its stale use ends', async () => {
    await executeCall(call());
    runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'It is unreachable.'));
    time.advance((CACHING_SECONDS + STALE_SECONDS) * 1000 - 1);
    expect(await statusOf(executeCall(call()))).toBe('STALE');
    time.advance(1);
    await expect(executeCall(call())).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
  });

  it('returns no stale result whose stale use ends while the query runs', async () => {
    await executeCall(call());
    time.advance((CACHING_SECONDS + STALE_SECONDS) * 1000 - 1);
    runQuery.respondWith(() => {
      time.advance(1);
      return Promise.reject(new Failure('QUERY_TIMEOUT', 'It took too long.'));
    });
    await expect(executeCall(call())).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('returns no stale result if the endpoint allows none', async () => {
    await executeCall(call({}, { staleIfError: 0 }));
    time.advance(CACHING_SECONDS * 1000);
    runQuery.fail(new Failure('CLICKHOUSE_FAILED', 'It failed.'));
    await expect(executeCall(call({}, { staleIfError: 0 }))).rejects.toMatchObject({
      code: 'CLICKHOUSE_FAILED',
    });
  });
});

describe('the cache demand of a caller', () => {
  it('runs a query for a fresh result, and replaces the cached one', async () => {
    await executeCall(call());
    time.advance(1000);
    const fresh = await executeCall(call({ demand: 'fresh' }));
    expect([fresh.status, fresh.isStored, fresh.result.createdAt]).toEqual(['BYPASS', true, time.now]);
    expect((await executeCall(call())).result).toBe(fresh.result);
    expect(queryCount()).toBe(2);
  });

  it('keeps the fresh result when an older query ends later', async () => {
    let endOld: (() => void) | undefined;
    runQuery.respondWith(
      () =>
        new Promise(
          (resolve) =>
            (endOld = () => {
              resolve(resultOf([{ city: 'old' }]));
            }),
        ),
    );
    const old = executeCall(call());
    await Promise.resolve();
    time.advance(1000);
    runQuery.returnRows([{ city: 'new' }]);
    const fresh = await executeCall(call({ demand: 'fresh' }));
    endOld?.();
    await old;
    expect((await executeCall(call())).result).toBe(fresh.result);
  });

  it.each(['any', 'fresh'] as const)(
    'returns 504 NOT_CACHED for only-cached where %s would run a query',
    async (other) => {
      const onlyCached = call({ demand: 'only-cached' });
      await expect(executeCall(onlyCached)).rejects.toMatchObject({ code: 'NOT_CACHED', status: 504 });
      await executeCall(call({ demand: other }));
      expect(await statusOf(executeCall(onlyCached))).toBe('HIT');
      time.advance(CACHING_SECONDS * 1000);
      await expect(executeCall(onlyCached)).rejects.toMatchObject({ code: 'NOT_CACHED' });
      expect(queryCount()).toBe(1);
    },
  );
});

describe('an endpoint without caching', () => {
  const uncached = (changes: Partial<Call> = {}): Call => call(changes, { caching: 'disabled' });

  it('stores nothing, coalesces nothing and reports no outcome', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => executeCall(uncached())));
    expect(queryCount()).toBe(3);
    expect(outcomes.map(({ status, isStored, isCollapsed }) => [status, isStored, isCollapsed])).toEqual(
      Array(3).fill(['BYPASS', false, false]),
    );
    expect([store.memoryUse().size, statuses]).toEqual([0, []]);
  });

  it('has no stale and no cached result', async () => {
    await executeCall(uncached());
    await expect(executeCall(uncached({ demand: 'only-cached' }))).rejects.toMatchObject({
      code: 'NOT_CACHED',
    });
    runQuery.fail(new Failure('CLICKHOUSE_FAILED', 'It failed.'));
    await expect(executeCall(uncached())).rejects.toMatchObject({ code: 'CLICKHOUSE_FAILED' });
  });

  it('cancels the query when its caller leaves', async () => {
    const leaving = new AbortController();
    await executeCall(uncached({ signal: leaving.signal }));
    expect(runQuery.onlyRequest.signal).toBe(leaving.signal);
  });
});
