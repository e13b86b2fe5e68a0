import { Failure, type ErrorCode } from '../../../src/errors.js';
import type { QueryRequest, RunQuery } from '../../../src/query/ports.js';
import {
  ServerBreaker,
  type OpenReason,
  type ServerBreakerState,
} from '../../../src/scheduler/server-breaker.js';
import { ServerPool } from '../../../src/scheduler/server-pool.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { delayQueries, type PendingQueries } from '../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { asked } from './requested-queries.js';

const AWAY = { code: 'CLICKHOUSE_UNREACHABLE', status: 503, details: { retryAfterSeconds: 1 } };
const failure = (code: ErrorCode): Failure => new Failure(code, 'no');

/** How the fake ClickHouse takes a ping. */
type Pinged = 'answers' | 'refuses' | 'is silent';

describe('ClickHouseWatch', () => {
  let timers: ManualTimers;
  let runQuery: FakeRunQuery;
  let held: PendingQueries;
  let changes: (ServerBreakerState | OpenReason)[];
  let breaker: ServerBreaker;
  /** Of this one server: a query reaches a breaker through a pool. */
  let pool: ServerPool;
  let run: RunQuery;
  let pings: number;
  let pinged: Pinged;

  const ping = (): Promise<boolean> => {
    pings += 1;
    if (pinged === 'refuses') return Promise.reject(new Error('ECONNREFUSED'));
    return pinged === 'answers' ? Promise.resolve(true) : new Promise(() => undefined);
  };
  beforeEach(() => {
    timers = new ManualTimers();
    runQuery = new FakeRunQuery();
    held = delayQueries(runQuery);
    [changes, pings, pinged] = [[], 0, 'answers'];
    breaker = new ServerBreaker({
      ping,
      clock: timers.clock,
      setTimer: timers.setTimer,
      onChange: (state, reason) => changes.push(reason ?? state),
    });
    pool = new ServerPool(
      [{ name: 'only', runQuery: (request) => runQuery.run(request), breaker }],
      timers.clock,
    );
    run = pool.gate(pool.run);
  });
  afterEach(() => {
    held.finish([]);
  });

  /** A query that runs; its end is looked at later, or not at all. */
  const begin = (id = 'q', signal?: AbortSignal): Promise<unknown> => {
    const running = run(asked(id, {}, signal));
    running.catch(() => undefined);
    return running;
  };
  const failWith = async (code: ErrorCode, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      const running = begin();
      await settled();
      held.fail(failure(code));
      await expect(running).rejects.toMatchObject({ code });
    }
  };
  const answerOne = async (): Promise<void> => {
    const running = begin();
    await settled();
    held.finish([]);
    await running;
  };
  const openIt = (): Promise<void> => failWith('CLICKHOUSE_UNREACHABLE', 3);

  describe('of connections', () => {
    it('opens after three that were lost in a row', async () => {
      await failWith('CLICKHOUSE_UNREACHABLE', 2);
      await answerOne();
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

    it('never opens for callers that leave', async () => {
      for (let n = 0; n < 20; n += 1) {
        const leaving = new AbortController();
        const running = begin('left', leaving.signal);
        await settled();
        leaving.abort(failure('CLICKHOUSE_UNREACHABLE'));
        await expect(running).rejects.toThrow();
      }
      expect(breaker.figures).toMatchObject({ state: 'closed', running: 0 });
      expect(timers.size).toBe(0);
    });
  });

  describe('while it is open', () => {
    beforeEach(openIt);

    it('refuses at once, without asking ClickHouse anything', async () => {
      const before = runQuery.requests.length;
      await expect(begin()).rejects.toMatchObject(AWAY);
      expect([runQuery.requests.length - before, pings, pool.figures.rejected]).toEqual([0, 0, 1]);
    });

    it('sends nothing when nobody asks', async () => {
      await timers.advance(3_600_000);
      expect([pings, timers.size]).toEqual([0, 0]);
    });

    it('lets one of many that ask after the pause ping, and runs it when ClickHouse answers', async () => {
      await timers.advance(250);
      const before = runQuery.requests.length;
      const all = Array.from({ length: 100 }, (_each, n) => begin(String(n)));
      await settled();
      held.finish([]);
      const ends = await Promise.allSettled(all);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect([pings, runQuery.requests.length - before]).toEqual([1, 1]);
      expect(changes).toEqual(['unreachable', 'closed']);
    });

    it('pings no more often than its pauses allow, the longest of which is half a second', async () => {
      pinged = 'refuses';
      for (let ms = 0; ms < 10_000; ms += 50) {
        await expect(begin()).rejects.toMatchObject(AWAY);
        await timers.advance(50);
      }
      expect(pings).toBe(20);
    });

    it('waits no longer than a second for a ping', async () => {
      pinged = 'is silent';
      await timers.advance(250);
      const trying = begin();
      await timers.advance(1000);
      await expect(trying).rejects.toMatchObject(AWAY);
      expect(timers.size).toBe(0);
    });

    it('is closed within two seconds of ClickHouse’s return, whatever the outage was like', async () => {
      for (const outage of ['refuses', 'is silent'] as const) {
        pinged = outage;
        for (let ms = 0; ms < 7777; ms += 50) {
          void begin();
          await timers.advance(50);
        }
        pinged = 'answers';
        for (let ms = 0; ms < 1950; ms += 50) {
          void begin();
          await timers.advance(50);
        }
        expect([outage, breaker.figures.state]).toEqual([outage, 'closed']);
        held.finish([]);
        await settled();
        await openIt();
      }
    });

    it('starts with three lost connections and the first pause again, once it was closed', async () => {
      await timers.advance(250);
      await answerOne();
      await failWith('CLICKHOUSE_UNREACHABLE', 2);
      expect(breaker.figures.state).toBe('closed');
      await openIt().catch(() => undefined);
      await timers.advance(250);
      await answerOne();
      expect(changes).toEqual(['unreachable', 'closed', 'unreachable', 'closed']);
    });

    it('refuses what waited for its place in the queue meanwhile', async () => {
      await expect(breaker.guard(runQuery.run)(asked('queued'))).rejects.toMatchObject(AWAY);
    });
  });

  describe('of a stall', () => {
    it('opens after two seconds of silence and two pings without an answer, and ends what runs', async () => {
      pinged = 'is silent';
      const running = [begin('a'), begin('b')];
      await timers.advance(1999);
      expect(pings).toBe(0);
      await timers.advance(2000);
      expect([pings, breaker.figures.state]).toEqual([2, 'closed']);
      await timers.advance(1);
      for (const one of running) await expect(one).rejects.toMatchObject(AWAY);
      expect(breaker.figures).toMatchObject({ state: 'open', running: 0, cut: 2, opened: { stalled: 1 } });
      expect([changes, timers.size]).toEqual([['stalled'], 0]);
    });

    it('leaves slow queries alone as long as ClickHouse answers pings', async () => {
      const running = begin('slow');
      await timers.advance(30_000);
      expect([breaker.figures.state, pings]).toEqual(['closed', 15]);
      held.finish([]);
      await running;
      expect(timers.size).toBe(0);
    });

    it('does not ping while queries are answered', async () => {
      void begin('slow');
      await settled();
      const quick = breaker.guard(() => new FakeRunQuery().run(asked('quick')));
      for (let ms = 0; ms < 20_000; ms += 1000) {
        await quick(asked('quick'));
        await timers.advance(1000);
      }
      expect(pings).toBe(0);
    });

    it('takes one lost ping for no stall', async () => {
      pinged = 'is silent';
      void begin('a');
      await timers.advance(2500);
      pinged = 'answers';
      await timers.advance(20_000);
      expect([breaker.figures.state, breaker.figures.running]).toEqual(['closed', 1]);
    });

    it('takes an answer during the pings for life', async () => {
      pinged = 'is silent';
      void begin('a');
      const other = new FakeRunQuery();
      await timers.advance(2500);
      await breaker.guard(other.run)(asked('b'));
      await timers.advance(1500);
      expect(breaker.figures.state).toBe('closed');
    });

    it('stops pinging when the last that runs has left', async () => {
      pinged = 'is silent';
      const leaving = new AbortController();
      void begin('a', leaving.signal);
      await timers.advance(2500);
      leaving.abort(new Error('gone'));
      await timers.advance(60_000);
      expect([pings, breaker.figures.state, timers.size]).toEqual([1, 'closed', 0]);
    });

    it('ends what hangs although it is open already', async () => {
      pinged = 'is silent';
      const hanging = breaker.guard((request: QueryRequest) => runQuery.run(request))(asked('hanging'));
      hanging.catch(() => undefined);
      const lost = breaker.guard(() => Promise.reject(failure('CLICKHOUSE_UNREACHABLE')));
      for (let n = 0; n < 3; n += 1) await lost(asked('lost')).catch(() => undefined);
      expect(changes).toEqual(['unreachable']);
      await timers.advance(4000);
      await expect(hanging).rejects.toMatchObject(AWAY);
      expect(changes).toEqual(['unreachable']);
    });

    it('does not flood a runner that does not end when told', async () => {
      pinged = 'is silent';
      void breaker.guard(() => new Promise(() => undefined))(asked('deaf'));
      await timers.advance(40_000);
      expect(breaker.figures).toMatchObject({ state: 'open', cut: 1 });
      expect(pings).toBeLessThanOrEqual(20);
    });
  });
});
