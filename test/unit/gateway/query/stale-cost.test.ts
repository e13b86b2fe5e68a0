import { OPERATORS } from '../../../../src/endpoint/figures.js';
import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import { Failure } from '../../../../src/gateway/errors.js';
import { factsOf, type OutcomeFacts } from '../../../../src/gateway/observability/outcome-facts.js';
import type { Call, CallOutcome } from '../../../../src/gateway/query/call.js';
import { executeCall, type QueryParts } from '../../../../src/gateway/query/execute-call.js';
import { executeStatement, type StatementToRun } from '../../../../src/gateway/query/execute-statement.js';
import type { RunQuery, RunScheduledStatement } from '../../../../src/gateway/query/ports.js';
import { costOf, FakeRunQuery, resultOf } from '../../../support/fake-run-query.js';
import { queryParts } from '../../../support/query-parts.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { sampleKey } from '../../../support/sample-result.js';
import { SettableClock } from '../../../support/settable-clock.js';

const LIMIT_MS = 30_000;

let time: SettableClock;
let runQuery: FakeRunQuery;
let parts: QueryParts;

beforeEach(() => {
  time = new SettableClock();
  runQuery = new FakeRunQuery();
  const store = new LocalStore(1e6, time.clock);
  parts = queryParts({ runQuery: runQuery.run, store, clock: time.clock });
});

const endpoint = sampleEndpoint({ caching: 60, staleIfError: 300 });
const call = (): Call => ({
  ...{ endpoint, values: new Map([['city', 'Rome']]), scope: '', requestId: 'stale-cost' },
  ...{ signal: new AbortController().signal, demand: 'any' },
});
/** The cache status, and the milliseconds in ClickHouse that a request reports. */
const reported = ({ cache, awaited, caused, charged }: OutcomeFacts): readonly unknown[] => [
  cache,
  ...[awaited, caused?.cost, charged?.cost].map((cost) => cost?.readBy(OPERATORS).clickhouseMs),
  charged?.callers,
];
const CHARGED_ONCE = [
  ['STALE', LIMIT_MS, LIMIT_MS, LIMIT_MS, 1],
  ['STALE', LIMIT_MS, undefined, undefined, undefined],
];
const late = (): Failure =>
  new Failure('QUERY_TIMEOUT', 'Late.', { cost: costOf({ clickhouseMs: LIMIT_MS }) });

/** Caches a result, and gets it twice at the same time when it has expired. */
async function reportedOfTwo(execute: () => Promise<CallOutcome>, fail: () => void): Promise<unknown> {
  await execute();
  time.advance(60_000);
  fail();
  const outcomes = await Promise.all([execute(), execute()]);
  return outcomes.map((outcome) => reported(factsOf(outcome)));
}

describe('the cost of a query whose result a stale one replaces is charged once, and awaited by all', () => {
  it.each<[string, RunQuery]>([
    ['a call that fails', () => Promise.reject(late())],
    [
      'a call that lost a shard',
      () => Promise.resolve({ ...resultOf([]), cost: costOf({ clickhouseMs: LIMIT_MS }), partial: true }),
    ],
  ])('of %s', async (_what, respond) => {
    const execute = (): Promise<CallOutcome> => executeCall(parts, call());
    const found = await reportedOfTwo(execute, () => {
      runQuery.respondWith(respond);
    });
    expect(found).toEqual(CHARGED_ONCE);
    expect(runQuery.requests).toHaveLength(2);
  });

  it('of a statement that fails', async () => {
    const head = { contentType: '', format: 'TSV', timezone: 'UTC', exceptionTag: '' };
    const whole = { head, body: Buffer.from('1\n') };
    let runs = 0;
    let run: () => ReturnType<RunScheduledStatement> = () =>
      Promise.resolve({ whole, cost: costOf({}), bytes: 2, queryId: 'first', waitingMs: 0 });
    const runStatement: RunScheduledStatement = () => {
      runs += 1;
      return run();
    };
    const request: Partial<StatementToRun['request']> = {
      ...{ signal: new AbortController().signal, output: { format: 'TSV', settings: {}, isFramed: false } },
    };
    const key = { ...sampleKey('SELECT 1'), staleMs: 300_000 };
    const statement = {
      ...{ request: request as StatementToRun['request'], key, demand: 'any' as const },
      ...{ reads: [], queryOver: () => undefined },
    };
    const execute = async (): Promise<CallOutcome> =>
      (await executeStatement({ ...parts, runStatement, maxStatementBytes: 1e6 }, statement)) as CallOutcome;
    const found = await reportedOfTwo(execute, () => {
      run = () => Promise.reject(late());
    });
    expect(found).toEqual(CHARGED_ONCE);
    expect(runs).toBe(2);
  });

  it('of no query, where none ran', async () => {
    const found = await reportedOfTwo(
      () => executeCall(parts, call()),
      () => {
        runQuery.fail(new Failure('GATEWAY_BUSY', 'Busy.'));
      },
    );
    expect(found).toEqual(Array(2).fill(['STALE', undefined, undefined, undefined, undefined]));
  });
});
