import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import { defineEndpoint } from '../../../../src/endpoint/endpoint.js';
import { regularExpression } from '../../../../src/endpoint/index.js';
import { Failure } from '../../../../src/gateway/errors.js';
import { keyOf } from '../../../../src/gateway/query/cache-key.js';
import type { Call } from '../../../../src/gateway/query/call.js';
import type { QueryParts } from '../../../../src/gateway/query/execute-call.js';
import { fetchResult, wantedOf, type FetchedResult } from '../../../../src/gateway/query/fetch-result.js';
import type { Requester } from '../../../../src/gateway/query/ports.js';
import { FakeRunQuery, resultOf } from '../../../support/fake-run-query.js';
import { delayQueries } from '../../../support/pending-queries.js';
import { queryParts } from '../../../support/query-parts.js';
import { SAMPLE, sampleEndpoint } from '../../../support/sample-endpoint.js';
import { SettableClock } from '../../../support/settable-clock.js';

let time: SettableClock;
let store: LocalStore;
let runQuery: FakeRunQuery;
let joined: string[];
let parts: QueryParts;

beforeEach(() => {
  time = new SettableClock();
  store = new LocalStore(1e6, time.clock);
  runQuery = new FakeRunQuery();
  joined = [];
  parts = queryParts({
    ...{ runQuery: runQuery.run, store, clock: time.clock },
    onJoined: (where) => joined.push(where),
  });
});

const fetch = (changes: Partial<Call> = {}): Call => ({
  endpoint: sampleEndpoint(),
  values: new Map([['city', 'Rome']]),
  scope: '',
  requestId: 'fetch-result',
  signal: new AbortController().signal,
  demand: 'any',
  ...changes,
});
const run = (changes: Partial<Call> = {}, newerThan?: number): Promise<FetchedResult> => {
  const call = fetch(changes);
  const key = keyOf(call);
  return fetchResult(parts, wantedOf(parts, call, key), key, newerThan);
};

describe('fetchResult', () => {
  it('binds the query at its start time, with one row more than the cap', async () => {
    await run();
    const { query, rowCap, requestId } = runQuery.onlyRequest;
    expect(query.parameters).toEqual({ city: 'Rome', row_limit: 11 });
    expect([rowCap, requestId]).toEqual([10, 'fetch-result']);
  });

  it('stores the result until its stale use ends', async () => {
    const { result } = await run({ endpoint: sampleEndpoint({ caching: 60, staleIfError: 30 }) });
    const { hash } = keyOf(fetch());
    time.advance(90_000 - 1);
    expect(store.find(hash)).toBe(result);
    time.advance(1);
    expect(store.find(hash)).toBeUndefined();
  });

  it('runs one query for a thousand calls, and reports each follower', async () => {
    const all = await Promise.all(Array.from({ length: 1000 }, () => run()));
    expect(runQuery.requests).toHaveLength(1);
    expect(all.filter(({ isCollapsed }) => isCollapsed)).toHaveLength(999);
    expect(joined).toEqual(Array(999).fill('process'));
    expect(all.map(({ callers }) => callers)).toEqual(Array(1000).fill(1000));
  });

  it('coalesces none of a miss, a call that demands a fresh result, and a refresh by warming with another', async () => {
    const delayed = delayQueries(runQuery);
    const all = [run(), run({ demand: 'fresh' }), run({ demand: 'fresh' }, 0)];
    delayed.finish([]);
    await Promise.all(all);
    expect(runQuery.requests).toHaveLength(3);
    expect(joined).toEqual([]);
  });

  it('rejects all callers with the failure, and stores nothing', async () => {
    const delayed = delayQueries(runQuery);
    const all = [1, 2, 3].map(() => run());
    const failure = new Failure('CLICKHOUSE_BUSY', 'It is busy.');
    delayed.fail(failure);
    for (const result of await Promise.allSettled(all)) {
      expect(result).toEqual({ status: 'rejected', reason: failure });
    }
    expect([runQuery.requests.length, store.memoryUse().size]).toEqual([1, 0]);
  });

  it('does not share the leader’s LIMIT_EXCEEDED: a follower runs the query within its own limits', async () => {
    const admitted: string[] = [];
    const requester = (lane: string, rejects: boolean): Requester => ({
      lane,
      priority: 'interactive',
      admitQuery: () => {
        admitted.push(lane);
        if (rejects) return Promise.reject(new Failure('LIMIT_EXCEEDED', 'no'));
        return Promise.resolve(() => Promise.resolve());
      },
    });
    runQuery.respondWith(async (request) => {
      await request.requester?.admitQuery?.();
      return resultOf([{ city: 'Rome' }]);
    });
    const [leader, ...followers] = await Promise.allSettled([
      run({ requester: requester('a', true) }),
      run({ requester: requester('b', false) }),
      run({ requester: requester('c', true) }),
    ]);
    expect(leader).toMatchObject({ status: 'rejected', reason: { code: 'LIMIT_EXCEEDED' } });
    expect(followers).toMatchObject([
      { status: 'fulfilled', value: { isCollapsed: false } },
      { status: 'fulfilled', value: { isCollapsed: true } },
    ]);
    expect([admitted, store.memoryUse().size]).toEqual([['a', 'b'], 1]);
  });

  it('cancels the query when the last caller leaves, not before', async () => {
    delayQueries(runQuery);
    const leaving = [new AbortController(), new AbortController()];
    const all = leaving.map(({ signal }) => run({ signal }));
    leaving[0]?.abort(new Error('left'));
    await expect(all[0]).rejects.toThrow('left');
    expect(runQuery.onlyRequest.signal.aborted).toBe(false);
    leaving[1]?.abort(new Error('left'));
    await expect(all[1]).rejects.toThrow('left');
    expect(runQuery.onlyRequest.signal.aborted).toBe(true);
    expect(store.memoryUse().size).toBe(0);
  });

  it('names the parameter whose regular expression ClickHouse rejected', async () => {
    const endpoint = defineEndpoint({
      ...SAMPLE,
      parameters: { city: regularExpression({ description: 'A city.', maxLength: 10 }) },
    });
    runQuery.fail(new Failure('BAD_REGULAR_EXPRESSION', 'A regular expression does not compile.'));
    await expect(run({ endpoint })).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'city', problem: 'is not a regular expression that RE2 compiles' }] },
    });
  });
});
