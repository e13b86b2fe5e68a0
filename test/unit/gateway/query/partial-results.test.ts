import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import type { CallOutcome, Call } from '../../../../src/gateway/query/call.js';
import { executeCall, type QueryParts } from '../../../../src/gateway/query/execute-call.js';
import { FakeRunQuery, resultOf } from '../../../support/fake-run-query.js';
import { queryParts } from '../../../support/query-parts.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { SettableClock } from '../../../support/settable-clock.js';

const CACHING_SECONDS = 60;
const STALE_SECONDS = 300;

let time: SettableClock;
let runQuery: FakeRunQuery;
let parts: QueryParts;

beforeEach(() => {
  time = new SettableClock();
  const store = new LocalStore(1e6, time.clock);
  runQuery = new FakeRunQuery();
  parts = queryParts({ runQuery: runQuery.run, store, clock: time.clock });
});

const run = (demand: Call['demand'] = 'any'): Promise<CallOutcome> =>
  executeCall(parts, {
    endpoint: sampleEndpoint({ caching: CACHING_SECONDS, staleIfError: STALE_SECONDS }),
    values: new Map([['city', 'Rome']]),
    scope: '',
    requestId: 'partial-results',
    signal: new AbortController().signal,
    demand,
  });
const rowsOf = ({ result }: CallOutcome): string => result.bodies.identity.toString();
const loseShard = (): void => {
  runQuery.respondWith(() => Promise.resolve({ ...resultOf([{ n: 'half' }]), partial: true }));
};

describe('a partial result', () => {
  it('is returned but not cached: the next call queries again', async () => {
    loseShard();
    const outcome = await run();
    expect(outcome).toMatchObject({ status: 'MISS', isStored: false, result: { partial: true } });
    expect(outcome.result.expiresAt).toBe(outcome.result.createdAt);
    runQuery.returnRows([{ n: 'whole' }]);
    const next = await run();
    expect([next.status, next.result.partial, rowsOf(next)]).toEqual([
      'MISS',
      undefined,
      '{"result":[{"n":"whole"}]}',
    ]);
    expect((await run()).status).toBe('HIT');
  });

  it('is replaced by a complete stale result until its stale use ends', async () => {
    runQuery.returnRows([{ n: 'whole' }]);
    await run();
    time.advance(CACHING_SECONDS * 1000);
    loseShard();
    const stale = await run();
    expect([stale.status, rowsOf(stale)]).toEqual(['STALE', '{"result":[{"n":"whole"}]}']);
    time.advance(STALE_SECONDS * 1000);
    expect(await run()).toMatchObject({ status: 'MISS', result: { partial: true } });
  });

  it('does not replace the cached result when a caller demands a fresh one', async () => {
    runQuery.returnRows([{ n: 'whole' }]);
    await run();
    loseShard();
    expect((await run('fresh')).status).toBe('STALE');
    const cached = await run();
    expect([cached.status, rowsOf(cached)]).toEqual(['HIT', '{"result":[{"n":"whole"}]}']);
  });
});
