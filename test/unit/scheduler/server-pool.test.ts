import { Failure, type ErrorCode } from '../../../src/errors.js';
import type { RunQuery } from '../../../src/query/ports.js';
import { ServerBreaker } from '../../../src/scheduler/server-breaker.js';
import { ServerPool } from '../../../src/scheduler/server-pool.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { delayQueries } from '../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { asked } from './requested-queries.js';

const AWAY = { code: 'CLICKHOUSE_UNREACHABLE', status: 503, details: { retryAfterSeconds: 1 } };
const lost = (): Failure => new Failure('CLICKHOUSE_UNREACHABLE', 'lost');

/** A server of the pool, with how it takes pings. */
class FakeServer {
  readonly runQuery = new FakeRunQuery();
  readonly breaker: ServerBreaker;
  pinged: 'answers' | 'refuses' | 'is silent' = 'answers';
  pings = 0;

  constructor(
    readonly name: string,
    { clock, setTimer }: ManualTimers,
  ) {
    const ping = (): Promise<boolean> => {
      this.pings += 1;
      if (this.pinged === 'is silent') return new Promise(() => undefined);
      return Promise.resolve(this.pinged === 'answers');
    };
    this.breaker = new ServerBreaker({ ping, clock, setTimer, onChange: () => undefined });
  }

  get asked(): number {
    return this.runQuery.requests.length;
  }
}

describe('ServerPool', () => {
  let timers: ManualTimers;
  let servers: readonly [FakeServer, FakeServer, FakeServer];
  let pool: ServerPool;
  let run: RunQuery;

  beforeEach(() => {
    timers = new ManualTimers();
    servers = [new FakeServer('a', timers), new FakeServer('b', timers), new FakeServer('c', timers)];
    pool = poolOf(servers);
    run = pool.gate(pool.run);
  });
  const poolOf = (some: readonly FakeServer[]): ServerPool =>
    new ServerPool(
      some.map(({ name, runQuery, breaker }) => ({ name, breaker, runQuery: runQuery.run })),
      timers.clock,
    );
  const counts = (): readonly number[] => servers.map((server) => server.asked);
  const begin = (signal?: AbortSignal): Promise<unknown> => {
    const running = run(asked('q', {}, signal));
    running.catch(() => undefined);
    return running;
  };
  /** Sets a server aside, by what it does itself. */
  const loseConnections = async (server: FakeServer): Promise<void> => {
    const lose = server.breaker.guard(() => Promise.reject(lost()));
    for (let n = 0; n < 3; n += 1) await lose(asked('lost')).catch(() => undefined);
    expect(server.breaker.isOpen).toBe(true);
  };

  describe('where all serve', () => {
    it('gives servers that have nothing to do their turns', async () => {
      for (let n = 0; n < 30; n += 1) await run(asked(String(n)));
      expect(counts()).toEqual([10, 10, 10]);
    });

    it('spreads queries that run at the same time evenly', async () => {
      const held = servers.map(({ runQuery }) => delayQueries(runQuery));
      const running = Array.from({ length: 30 }, () => begin());
      await settled();
      expect(pool.figures.servers.map((server) => server.running)).toEqual([10, 10, 10]);
      for (const one of held) one.finish([]);
      await Promise.all(running);
      expect(pool.figures.servers.map((server) => server.running)).toEqual([0, 0, 0]);
    });

    it('leaves the one that is slow to the queries that it has', async () => {
      const held = delayQueries(servers[1].runQuery);
      const slow = Array.from({ length: 3 }, () => begin());
      for (let n = 0; n < 20; n += 1) await run(asked(String(n)));
      expect(counts()).toEqual([11, 1, 11]);
      held.finish([]);
      await Promise.all(slow);
    });
  });

  describe('for a query that its server did not begin to answer', () => {
    it('asks another one, once, with the same id, and tells of what is left of its time', async () => {
      servers[0].runQuery.respondWith(async () => {
        await timers.advance(1500);
        throw lost();
      });
      servers[1].runQuery.returnRows([{ n: 1 }]);
      expect(await run(asked('same', {}))).toMatchObject({ rowCount: 1 });
      expect(counts()).toEqual([1, 1, 0]);
      expect(servers[0].runQuery.onlyRequest).not.toHaveProperty('spentMs');
      expect(servers[1].runQuery.onlyRequest).toMatchObject({ requestId: 'same', spentMs: 1500 });
      expect(pool.figures.servers.map(({ retried }) => retried)).toEqual([1, 0, 0]);
    });

    it('does not ask a third one', async () => {
      for (const { runQuery } of servers) runQuery.fail(lost());
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      expect(counts()).toEqual([1, 1, 0]);
    });

    it('does not ask one that is set aside, nor the same again', async () => {
      await loseConnections(servers[1]);
      await loseConnections(servers[2]);
      servers[0].runQuery.fail(lost());
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      expect(counts()).toEqual([1, 0, 0]);
    });

    it('asks another one where its server stalled', async () => {
      servers[0].pinged = 'is silent';
      const held = delayQueries(servers[0].runQuery);
      const running = begin();
      await timers.advance(4000);
      expect(await running).toMatchObject({ rowCount: 0 });
      expect([counts(), pool.figures.cut]).toEqual([[1, 1, 0], 1]);
      expect(servers[1].runQuery.onlyRequest.spentMs).toBe(4000);
      expect(pool.figures.servers.map(({ isEjected }) => isEjected)).toEqual([true, false, false]);
      held.finish([]);
    });
  });

  describe('does not ask again', () => {
    it('once the answer had begun, whether its connection is lost or its server stalls', async () => {
      servers[0].runQuery.respondWith(({ onResponse }) => {
        onResponse?.();
        return Promise.reject(lost());
      });
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      servers[1].pinged = 'is silent';
      servers[1].runQuery.respondWith(({ onResponse, signal }) => {
        onResponse?.();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
      });
      const stalled = begin();
      await timers.advance(4000);
      await expect(stalled).rejects.toMatchObject(AWAY);
      expect(counts()).toEqual([1, 1, 0]);
      expect(pool.figures.servers.map(({ retried }) => retried)).toEqual([0, 0, 0]);
    });

    it('tells who asked of the first byte too', async () => {
      servers[0].runQuery.respondWith(({ onResponse }) => {
        onResponse?.();
        return new FakeRunQuery().run(asked('inner'));
      });
      let begun = 0;
      await run({ ...asked('q'), onResponse: () => (begun += 1) });
      expect(begun).toBe(1);
    });

    it.each<ErrorCode>([
      'CLICKHOUSE_FAILED',
      'CLICKHOUSE_BUSY',
      'CLICKHOUSE_ANSWER_BROKEN',
      'QUERY_TIMEOUT',
      'QUERY_READS_TOO_MUCH',
      'BAD_REGULAR_EXPRESSION',
    ])('after %s', async (code) => {
      servers[0].runQuery.fail(new Failure(code, 'no'));
      await expect(begin()).rejects.toMatchObject({ code });
      expect(counts()).toEqual([1, 0, 0]);
    });

    it('when the caller has gone', async () => {
      const leaving = new AbortController();
      servers[0].runQuery.respondWith(() => {
        leaving.abort(new Error('gone'));
        return Promise.reject(lost());
      });
      await expect(begin(leaving.signal)).rejects.toBeDefined();
      expect(counts()).toEqual([1, 0, 0]);
    });
  });

  describe('where one is set aside', () => {
    beforeEach(() => loseConnections(servers[0]));

    it('lets the others answer everything, and counts it as no outage', async () => {
      servers[0].pinged = 'refuses';
      for (let n = 0; n < 20; n += 1) await run(asked(String(n)));
      expect([counts(), pool.figures.state, pool.figures.rejected]).toEqual([[0, 10, 10], 'closed', 0]);
    });

    it('waits for no ping of it', async () => {
      servers[0].pinged = 'is silent';
      await timers.advance(250);
      expect(await run(asked('q'))).toMatchObject({ rowCount: 0 });
      expect(servers[0].pings).toBe(1);
    });

    it('sends nothing when nobody asks', async () => {
      await timers.advance(3_600_000);
      expect([servers.map(({ pings }) => pings), timers.size]).toEqual([[0, 0, 0], 0]);
    });

    it('gives it queries again when it answers a ping', async () => {
      await timers.advance(250);
      await run(asked('the one that pings'));
      await settled();
      for (let n = 0; n < 9; n += 1) await run(asked(String(n)));
      expect(counts()[0]).toBe(3);
    });
  });

  describe('where all are set aside', () => {
    beforeEach(async () => {
      for (const server of servers) {
        await loseConnections(server);
        server.pinged = 'refuses';
      }
    });

    it('refuses at once, and counts it', async () => {
      await expect(begin()).rejects.toMatchObject(AWAY);
      expect([counts(), pool.figures.state, pool.figures.rejected]).toEqual([[0, 0, 0], 'open', 1]);
    });

    it('refuses what waited for its place in the queue meanwhile', async () => {
      await expect(pool.run(asked('queued'))).rejects.toMatchObject(AWAY);
      expect(pool.figures.rejected).toBe(1);
    });

    it('asks all whether they are back, and takes the first that is', async () => {
      servers[0].pinged = 'is silent';
      servers[2].pinged = 'answers';
      await timers.advance(250);
      expect(await run(asked('q'))).toMatchObject({ rowCount: 0 });
      expect(servers.map(({ pings }) => pings)).toEqual([1, 1, 1]);
      expect(counts()).toEqual([0, 0, 1]);
    });
  });

  it('of one server asks it once', async () => {
    const [only] = servers;
    only.runQuery.fail(lost());
    const alone = poolOf([only]);
    await expect(alone.gate(alone.run)(asked('q'))).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
    expect(only.asked).toBe(1);
  });
});
