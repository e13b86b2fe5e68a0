import { Figures, OPERATORS } from '../../../../src/endpoint/figures.js';
import type { QueryCost } from '../../../../src/endpoint/limit-rules.js';
import { Failure } from '../../../../src/gateway/errors.js';
import type { RunQuery } from '../../../../src/gateway/query/ports.js';
import { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import { scheduleQueries } from '../../../../src/gateway/scheduler/run-query.js';
import { ServerBreaker } from '../../../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { delayQueries } from '../../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { sampleRequest, guarded } from './sample-request.js';

describe('scheduleQueries', () => {
  let runQuery: FakeRunQuery;
  let queue: QueryQueue;
  let breaker: ServerBreaker;
  let run: RunQuery;
  let settledWith: (QueryCost | undefined)[];
  let admitted: number;

  beforeEach(() => {
    const { clock, setTimer } = new ManualTimers();
    runQuery = new FakeRunQuery();
    queue = new QueryQueue({ slots: 1, maxWaiting: 2, maxWaitMs: 1000, setTimer });
    breaker = new ServerBreaker({ ping: never, clock, setTimer, onChange: () => undefined });
    const pool = new ServerPool([{ name: 'a:8123', runQuery: runQuery.run, breaker }], clock);
    run = scheduleQueries({ pool, queue });
    [settledWith, admitted] = [[], 0];
  });
  const never = (): Promise<boolean> => Promise.resolve(false);
  const admitQuery = () => {
    admitted += 1;
    return Promise.resolve((cost?: QueryCost) => {
      settledWith.push(cost);
      return Promise.resolve();
    });
  };

  it('settles the cost of a query with its result, and of a failed one with what that has cost', async () => {
    const result = await run(sampleRequest('a', { admitQuery }));
    runQuery.fail(new Failure('CLICKHOUSE_FAILED', 'no'));
    await expect(run(sampleRequest('b', { admitQuery }))).rejects.toMatchObject({
      code: 'CLICKHOUSE_FAILED',
    });
    const cost = { rowsRead: 7, bytesRead: 70, clickhouseMs: 1 };
    runQuery.fail(new Failure('QUERY_TIMEOUT', 'no', { cost: new Figures(cost) }));
    await expect(run(sampleRequest('c', { admitQuery }))).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    expect(settledWith).toEqual([result.cost.readBy(OPERATORS), undefined, cost]);
  });

  it('counts a retried query once, in one slot', async () => {
    const { clock, setTimer } = new ManualTimers();
    const second = new FakeRunQuery();
    const servers = [runQuery, second].map(({ run: runOn }, n) => ({
      name: String(n),
      runQuery: runOn,
      breaker: new ServerBreaker({ ping: never, clock, setTimer, onChange: () => undefined }),
    }));
    runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'lost'));
    let slots = 0;
    second.respondWith(() => {
      slots = queue.figures.running;
      return new FakeRunQuery().run(sampleRequest('inner'));
    });
    const result = await scheduleQueries({ pool: new ServerPool(servers, clock), queue })(
      sampleRequest('a', { admitQuery }),
    );
    expect([admitted, settledWith, slots]).toEqual([1, [result.cost.readBy(OPERATORS)], 1]);
    expect([runQuery.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it('settles the cost of a query that left the queue', async () => {
    const delayed = delayQueries(runQuery);
    const running = run(sampleRequest('a'));
    await settled();
    const leaving = new AbortController();
    const left = run(sampleRequest('b', { admitQuery }, leaving.signal));
    await settled();
    expect(queue.figures.waiting).toBe(1);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(settledWith).toEqual([undefined]);
    delayed.finish([]);
    await running;
  });

  it('takes no slot for a query that its limits reject', async () => {
    const rejection = new Failure('LIMIT_EXCEEDED', 'no');
    await expect(run(sampleRequest('a', { admitQuery: () => Promise.reject(rejection) }))).rejects.toBe(
      rejection,
    );
    expect([runQuery.requests.length, queue.figures.running]).toEqual([0, 0]);
  });

  it('neither counts nor queues a query while ClickHouse is unreachable, and empties the queue', async () => {
    const delayed = delayQueries(runQuery);
    const waiting = ['a', 'b', 'c'].map((id) => run(sampleRequest(id)));
    await settled();
    const lose = guarded(breaker, () => Promise.reject(new Failure('CLICKHOUSE_UNREACHABLE', 'no')));
    for (let n = 0; n < 3; n += 1) await lose(sampleRequest('lost')).catch(() => undefined);
    await expect(run(sampleRequest('d', { admitQuery }))).rejects.toMatchObject({
      code: 'CLICKHOUSE_UNREACHABLE',
    });
    expect([admitted, queue.figures.waiting]).toEqual([0, 2]);
    delayed.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'no'));
    const ends = await Promise.allSettled(waiting);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([runQuery.requests.length, queue.figures]).toEqual([
      1,
      { running: 0, waiting: 0, waitingInteractive: 0 },
    ]);
  });
});
