import { Failure } from '../../../../src/gateway/errors.js';
import type { Requester, QueryResult } from '../../../../src/gateway/query/ports.js';
import type { AnalyzeSql, SqlParser } from '../../../../src/gateway/query/sandboxed-select.js';
import { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import {
  scheduleAnalyses,
  scheduleQueries,
  type AnalyzingServer,
} from '../../../../src/gateway/scheduler/run-query.js';
import { ServerBreaker } from '../../../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { delayQueries, type PendingQueries } from '../../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { sampleRequest } from './sample-request.js';

/** A server whose parser returns its name, or fails. */
class FakeServer implements AnalyzingServer {
  readonly breaker: ServerBreaker;
  analyses = 0;
  fault: Failure | undefined;
  readonly parser: SqlParser;

  constructor(
    readonly name: string,
    readonly runQuery: AnalyzingServer['runQuery'],
    { clock, setTimer }: ManualTimers,
  ) {
    const ping = (): Promise<boolean> => Promise.resolve(false);
    this.breaker = new ServerBreaker({ ping, clock, setTimer, onChange: () => undefined });
    const parse = <T>(value: T): Promise<T> => {
      this.analyses += 1;
      return this.fault ? Promise.reject(this.fault) : Promise.resolve(value);
    };
    this.parser = {
      print: () => parse(name),
      tree: () => parse([name]),
      tables: () => parse([name]),
      varyingFunctions: () => parse([name]),
      lines: () => parse([name]),
    };
  }
}

describe('scheduleAnalyses', () => {
  let timers: ManualTimers;
  let runQuery: FakeRunQuery;
  let delayed: PendingQueries;
  let queue: QueryQueue;
  let servers: readonly [FakeServer, FakeServer];
  let pool: ServerPool<AnalyzingServer>;
  let analyzeSql: AnalyzeSql;
  let order: string[];

  beforeEach(() => {
    timers = new ManualTimers();
    runQuery = new FakeRunQuery();
    delayed = delayQueries(runQuery);
    queue = new QueryQueue({ slots: 1, maxWaiting: 10, maxWaitMs: 1000, setTimer: timers.setTimer });
    servers = [new FakeServer('a', runQuery.run, timers), new FakeServer('b', runQuery.run, timers)];
    pool = new ServerPool<AnalyzingServer>(servers, timers.clock);
    analyzeSql = scheduleAnalyses({ pool, queue });
    order = [];
  });
  const query = (name: string, requester: Partial<Requester> = {}): Promise<QueryResult> =>
    scheduleQueries({ pool, queue })(sampleRequest(name, requester));
  const analyze = (name: string, requester: Partial<Requester> = {}): Promise<string> => {
    const { signal } = new AbortController();
    return analyzeSql(
      { signal, requester: { lane: name.slice(0, 1), priority: 'interactive', ...requester } },
      (parser, own) => {
        order.push(name);
        return parser.print('SELECT 1', own);
      },
    );
  };

  it('makes analyses wait for a slot in their callers’ lanes, round robin', async () => {
    const running = query('query');
    await settled();
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => analyze(name));
    await settled();
    expect([order, queue.figures.waiting]).toEqual([[], 6]);
    delayed.finish([]);
    await Promise.all([running, ...all]);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.figures).toEqual({ running: 0, waiting: 0, waitingInteractive: 0 });
  });

  it('counts a running analysis towards its caller’s limits, and charges nothing', async () => {
    const events: unknown[] = [];
    const admitQuery: Requester['admitQuery'] = () => {
      events.push('admitted');
      return Promise.resolve((cost) => {
        events.push({ cost, running: queue.figures.running });
        return Promise.resolve();
      });
    };
    expect(await analyze('a1', { admitQuery })).toBe('a');
    expect(events).toEqual(['admitted', { cost: undefined, running: 0 }]);
  });

  it('retries once on the next server if one is unreachable', async () => {
    servers[0].fault = new Failure('CLICKHOUSE_UNREACHABLE', 'lost');
    expect(await analyze('a1')).toBe('b');
    servers[1].fault = servers[0].fault;
    await expect(analyze('a2')).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
    expect(servers.map(({ analyses }) => analyses)).toEqual([2, 2]);
  });
});
