import { Failure, type ErrorCode } from '../../../../src/gateway/errors.js';
import type { QueryRequest, RunQuery } from '../../../../src/gateway/query/ports.js';
import {
  ServerBreaker,
  type OpenReason,
  type ServerBreakerState,
} from '../../../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { delayQueries, type PendingQueries } from '../../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { sampleRequest, runOn, guarded } from './sample-request.js';

const UNREACHABLE = { code: 'CLICKHOUSE_UNREACHABLE', status: 503, details: { retryAfterSeconds: 1 } };
const failure = (code: ErrorCode): Failure => new Failure(code, 'no');

/** How the fake ClickHouse reacts to a ping. */
type PingReaction = 'responds' | 'fails' | 'hangs';

describe('ServerBreaker', () => {
  let timers: ManualTimers;
  let runQuery: FakeRunQuery;
  let delayed: PendingQueries;
  let changes: (ServerBreakerState | OpenReason)[];
  let breaker: ServerBreaker;
  /** A pool of this one server, through which queries reach the breaker. */
  let pool: ServerPool;
  let run: RunQuery;
  let pings: number;
  let pingReaction: PingReaction;

  const ping = (): Promise<boolean> => {
    pings += 1;
    if (pingReaction === 'fails') return Promise.reject(new Error('ECONNREFUSED'));
    return pingReaction === 'responds' ? Promise.resolve(true) : new Promise(() => undefined);
  };
  beforeEach(() => {
    timers = new ManualTimers();
    runQuery = new FakeRunQuery();
    delayed = delayQueries(runQuery);
    [changes, pings, pingReaction] = [[], 0, 'responds'];
    breaker = new ServerBreaker({
      ping,
      clock: timers.clock,
      setTimer: timers.setTimer,
      onChange: (state, reason) => changes.push(reason ?? state),
    });
    const only = { name: 'only', runQuery: (request: QueryRequest) => runQuery.run(request), breaker };
    pool = new ServerPool([only], timers.clock);
    run = runOn(pool);
  });
  afterEach(() => {
    delayed.finish([]);
  });

  /** Starts a query; the caller may ignore its rejection. */
  const begin = (id = 'q', signal?: AbortSignal): Promise<unknown> => {
    const running = run(sampleRequest(id, {}, signal));
    running.catch(() => undefined);
    return running;
  };
  const failWith = async (code: ErrorCode, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      const running = begin();
      await settled();
      delayed.fail(failure(code));
      await expect(running).rejects.toMatchObject({ code });
    }
  };
  const succeedOnce = async (): Promise<void> => {
    const running = begin();
    await settled();
    delayed.finish([]);
    await running;
  };
  const openBreaker = (): Promise<void> => failWith('CLICKHOUSE_UNREACHABLE', 3);

  describe('with lost connections', () => {
    it('opens after three consecutive lost connections', async () => {
      await failWith('CLICKHOUSE_UNREACHABLE', 2);
      await succeedOnce();
      await failWith('CLICKHOUSE_UNREACHABLE', 2);
      expect(breaker.figures.state).toBe('closed');
      await failWith('CLICKHOUSE_UNREACHABLE', 1);
      expect([breaker.figures.state, changes]).toEqual(['open', ['unreachable']]);
      expect(pings).toBe(0);
    });

    it.each<ErrorCode>([
      'BAD_REGULAR_EXPRESSION',
      'QUERY_READS_TOO_MUCH',
      'QUERY_TIMEOUT',
      'CLICKHOUSE_FAILED',
      'CLICKHOUSE_BUSY',
      'SHARD_UNREACHABLE',
    ])('never opens for %s', async (code) => {
      await failWith(code, 20);
      expect([breaker.figures.state, changes]).toEqual(['closed', []]);
    });

    it('never opens when callers disconnect', async () => {
      for (let n = 0; n < 20; n += 1) {
        const caller = new AbortController();
        const running = begin('disconnected', caller.signal);
        await settled();
        caller.abort(failure('CLICKHOUSE_UNREACHABLE'));
        await expect(running).rejects.toThrow();
      }
      expect(breaker.figures).toMatchObject({ state: 'closed', running: 0 });
      expect(timers.size).toBe(0);
    });
  });

  describe('while it is open', () => {
    beforeEach(openBreaker);

    it('rejects at once, without a request to ClickHouse', async () => {
      const before = runQuery.requests.length;
      await expect(begin()).rejects.toMatchObject(UNREACHABLE);
      expect([runQuery.requests.length - before, pings, pool.figures.rejected]).toEqual([0, 0, 1]);
    });

    it('sends nothing without a request', async () => {
      await timers.advance(3_600_000);
      expect([pings, timers.size]).toEqual([0, 0]);
    });

    it('sends one ping for many requests after the pause, and runs the query of the request that sent it', async () => {
      await timers.advance(250);
      const before = runQuery.requests.length;
      const all = Array.from({ length: 100 }, (_each, n) => begin(String(n)));
      await settled();
      delayed.finish([]);
      const ends = await Promise.allSettled(all);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect([pings, runQuery.requests.length - before]).toEqual([1, 1]);
      expect(changes).toEqual(['unreachable', 'closed']);
    });

    it('pings at most every half second while pings fail', async () => {
      pingReaction = 'fails';
      for (let ms = 0; ms < 10_000; ms += 50) {
        await expect(begin()).rejects.toMatchObject(UNREACHABLE);
        await timers.advance(50);
      }
      expect(pings).toBe(20);
    });

    it('waits at most a second for a ping', async () => {
      pingReaction = 'hangs';
      await timers.advance(250);
      const trying = begin();
      await timers.advance(1000);
      await expect(trying).rejects.toMatchObject(UNREACHABLE);
      expect(timers.size).toBe(0);
    });

    it('closes within two seconds after ClickHouse recovers, after any kind of outage', async () => {
      for (const outage of ['fails', 'hangs'] as const) {
        pingReaction = outage;
        for (let ms = 0; ms < 7777; ms += 50) {
          void begin();
          await timers.advance(50);
        }
        pingReaction = 'responds';
        for (let ms = 0; ms < 1950; ms += 50) {
          void begin();
          await timers.advance(50);
        }
        expect([outage, breaker.figures.state]).toEqual([outage, 'closed']);
        delayed.finish([]);
        await settled();
        await openBreaker();
      }
    });

    it('opens only after three more lost connections once it has closed, and waits the first pause again', async () => {
      await timers.advance(250);
      await succeedOnce();
      await failWith('CLICKHOUSE_UNREACHABLE', 2);
      expect(breaker.figures.state).toBe('closed');
      await openBreaker().catch(() => undefined);
      await timers.advance(250);
      await succeedOnce();
      expect(changes).toEqual(['unreachable', 'closed', 'unreachable', 'closed']);
    });

    it('rejects queries that waited in the queue when it opened', async () => {
      const queued = guarded(breaker, runQuery.run)(sampleRequest('queued'));
      await expect(queued).rejects.toMatchObject(UNREACHABLE);
    });
  });

  describe('with a stall', () => {
    it('opens after two seconds and two pings without a response, and cancels running queries', async () => {
      pingReaction = 'hangs';
      const running = [begin('a'), begin('b')];
      await timers.advance(1999);
      expect(pings).toBe(0);
      await timers.advance(2000);
      expect([pings, breaker.figures.state]).toEqual([2, 'closed']);
      await timers.advance(1);
      for (const one of running) await expect(one).rejects.toMatchObject(UNREACHABLE);
      expect(breaker.figures).toMatchObject({ state: 'open', running: 0, cancelled: 2 });
      expect([changes, breaker.figures.opened.stalled, timers.size]).toEqual([['stalled'], 1, 0]);
    });

    it('does not cancel slow queries while ClickHouse responds to pings', async () => {
      const running = begin('slow');
      await timers.advance(30_000);
      expect([breaker.figures.state, pings]).toEqual(['closed', 15]);
      delayed.finish([]);
      await running;
      expect(timers.size).toBe(0);
    });

    it.each(['responses', 'parts of a response'])('does not ping while %s arrive', async (which) => {
      void begin('slow');
      await settled();
      const quick = guarded(breaker, new FakeRunQuery().run);
      for (let ms = 0; ms < 20_000; ms += 1000) {
        if (which === 'responses') await quick(sampleRequest('quick'));
        else breaker.noteResponse();
        await timers.advance(1000);
      }
      expect(pings).toBe(0);
    });

    it('does not open after a single lost ping', async () => {
      pingReaction = 'hangs';
      void begin('a');
      await timers.advance(2500);
      pingReaction = 'responds';
      await timers.advance(20_000);
      expect([breaker.figures.state, breaker.figures.running]).toEqual(['closed', 1]);
    });

    it('does not open when a query gets a response during the pings', async () => {
      pingReaction = 'hangs';
      void begin('a');
      await timers.advance(2500);
      await guarded(breaker, new FakeRunQuery().run)(sampleRequest('b'));
      await timers.advance(1500);
      expect(breaker.figures.state).toBe('closed');
    });

    it('stops pinging when the last running query has ended', async () => {
      pingReaction = 'hangs';
      const caller = new AbortController();
      void begin('a', caller.signal);
      await timers.advance(2500);
      caller.abort(new Error('disconnected'));
      await timers.advance(60_000);
      expect([pings, breaker.figures.state, timers.size]).toEqual([1, 'closed', 0]);
    });

    it('cancels hanging queries even if it is already open', async () => {
      pingReaction = 'hangs';
      const hanging = guarded(breaker, (request: QueryRequest) => runQuery.run(request))(sampleRequest('a'));
      hanging.catch(() => undefined);
      const lost = guarded(breaker, () => Promise.reject(failure('CLICKHOUSE_UNREACHABLE')));
      for (let n = 0; n < 3; n += 1) await lost(sampleRequest('lost')).catch(() => undefined);
      expect(changes).toEqual(['unreachable']);
      await timers.advance(4000);
      await expect(hanging).rejects.toMatchObject(UNREACHABLE);
      expect(changes).toEqual(['unreachable']);
    });

    it('cancels a query only once, even if it ignores its signal', async () => {
      pingReaction = 'hangs';
      void guarded(breaker, () => new Promise(() => undefined))(sampleRequest('deaf'));
      await timers.advance(40_000);
      expect(breaker.figures).toMatchObject({ state: 'open', cancelled: 1 });
      expect(pings).toBeLessThanOrEqual(20);
    });
  });
});
