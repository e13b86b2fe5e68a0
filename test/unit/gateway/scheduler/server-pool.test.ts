import { Failure, type ErrorCode } from '../../../../src/gateway/errors.js';
import type { RunQuery } from '../../../../src/gateway/query/ports.js';
import { ServerBreaker } from '../../../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { delayQueries } from '../../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { sampleRequest, runOn, guarded } from './sample-request.js';

const UNREACHABLE = { code: 'CLICKHOUSE_UNREACHABLE', status: 503, details: { retryAfterSeconds: 1 } };
const lost = (): Failure => new Failure('CLICKHOUSE_UNREACHABLE', 'lost');

/** A server of the pool, with its reaction to pings. */
class FakeServer {
  readonly runQuery = new FakeRunQuery();
  readonly breaker: ServerBreaker;
  pingReaction: 'responds' | 'fails' | 'hangs' = 'responds';
  pings = 0;

  constructor(
    readonly name: string,
    { clock, setTimer }: ManualTimers,
  ) {
    const ping = (): Promise<boolean> => {
      this.pings += 1;
      if (this.pingReaction === 'hangs') return new Promise(() => undefined);
      return Promise.resolve(this.pingReaction === 'responds');
    };
    this.breaker = new ServerBreaker({ ping, clock, setTimer, onChange: () => undefined });
  }

  get queryCount(): number {
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
    run = runOn(pool);
  });
  const poolOf = (some: readonly FakeServer[]): ServerPool =>
    new ServerPool(
      some.map(({ name, runQuery, breaker }) => ({ name, breaker, runQuery: runQuery.run })),
      timers.clock,
    );
  const counts = (): readonly number[] => servers.map((server) => server.queryCount);
  const begin = (signal?: AbortSignal): Promise<unknown> => {
    const running = run(sampleRequest('q', {}, signal));
    running.catch(() => undefined);
    return running;
  };
  /** Ejects a server by lost connections. */
  const loseConnections = async (server: FakeServer): Promise<void> => {
    const lose = guarded(server.breaker, () => Promise.reject(lost()));
    for (let n = 0; n < 3; n += 1) await lose(sampleRequest('lost')).catch(() => undefined);
    expect(server.breaker.isOpen).toBe(true);
  };

  describe('when all servers are available', () => {
    it('uses idle servers round robin', async () => {
      for (let n = 0; n < 30; n += 1) await run(sampleRequest(String(n)));
      expect(counts()).toEqual([10, 10, 10]);
    });

    it('spreads concurrent queries evenly', async () => {
      const delayed = servers.map(({ runQuery }) => delayQueries(runQuery));
      const running = Array.from({ length: 30 }, () => begin());
      await settled();
      expect(pool.figures.servers.map((server) => server.running)).toEqual([10, 10, 10]);
      for (const one of delayed) one.finish([]);
      await Promise.all(running);
      expect(pool.figures.servers.map((server) => server.running)).toEqual([0, 0, 0]);
    });

    it('sends no more queries to a slow server', async () => {
      const delayed = delayQueries(servers[1].runQuery);
      const slow = Array.from({ length: 3 }, () => begin());
      for (let n = 0; n < 20; n += 1) await run(sampleRequest(String(n)));
      expect(counts()).toEqual([11, 1, 11]);
      delayed.finish([]);
      await Promise.all(slow);
    });
  });

  describe('when a server does not start to respond', () => {
    it('retries once on another server, with the same id and the time already spent', async () => {
      servers[0].runQuery.respondWith(async () => {
        await timers.advance(1500);
        throw lost();
      });
      servers[1].runQuery.returnRows([{ n: 1 }]);
      expect(await run(sampleRequest('same', {}))).toMatchObject({ rowCount: 1 });
      expect(counts()).toEqual([1, 1, 0]);
      expect(servers[0].runQuery.onlyRequest).not.toHaveProperty('spentMs');
      expect(servers[1].runQuery.onlyRequest).toMatchObject({ requestId: 'same', spentMs: 1500 });
      expect(pool.figures.servers.map(({ retried }) => retried)).toEqual([1, 0, 0]);
    });

    it('does not retry on a third server', async () => {
      for (const { runQuery } of servers) runQuery.fail(lost());
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      expect(counts()).toEqual([1, 1, 0]);
    });

    it('does not retry on an ejected server, nor on the same one', async () => {
      await loseConnections(servers[1]);
      await loseConnections(servers[2]);
      servers[0].runQuery.fail(lost());
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      expect(counts()).toEqual([1, 0, 0]);
    });

    it('retries on another server when one stalls', async () => {
      servers[0].pingReaction = 'hangs';
      const delayed = delayQueries(servers[0].runQuery);
      const running = begin();
      await timers.advance(4000);
      expect(await running).toMatchObject({ rowCount: 0 });
      expect([counts(), pool.figures.cancelled]).toEqual([[1, 1, 0], 1]);
      expect(servers[1].runQuery.onlyRequest.spentMs).toBe(4000);
      expect(pool.figures.servers.map(({ isEjected }) => isEjected)).toEqual([true, false, false]);
      delayed.finish([]);
    });
  });

  describe('does not retry', () => {
    it('after the response started, whether the connection is lost or the server stalls', async () => {
      servers[0].runQuery.respondWith(({ onResponse }) => {
        onResponse?.();
        return Promise.reject(lost());
      });
      await expect(begin()).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
      servers[1].pingReaction = 'hangs';
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
      await expect(stalled).rejects.toMatchObject(UNREACHABLE);
      expect(counts()).toEqual([1, 1, 0]);
      expect(pool.figures.servers.map(({ retried }) => retried)).toEqual([0, 0, 0]);
    });

    it('reports the start of the response to the caller too', async () => {
      servers[0].runQuery.respondWith(({ onResponse }) => {
        onResponse?.();
        return new FakeRunQuery().run(sampleRequest('inner'));
      });
      let begun = 0;
      await run({ ...sampleRequest('q'), onResponse: () => (begun += 1) });
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

    it('after the caller left', async () => {
      const leaving = new AbortController();
      servers[0].runQuery.respondWith(() => {
        leaving.abort(new Error('left'));
        return Promise.reject(lost());
      });
      await expect(begin(leaving.signal)).rejects.toBeDefined();
      expect(counts()).toEqual([1, 0, 0]);
    });
  });

  describe('when one server is ejected', () => {
    beforeEach(() => loseConnections(servers[0]));

    it('runs all queries on the others, and stays closed', async () => {
      servers[0].pingReaction = 'fails';
      for (let n = 0; n < 20; n += 1) await run(sampleRequest(String(n)));
      expect([counts(), pool.figures.state, pool.figures.rejected]).toEqual([[0, 10, 10], 'closed', 0]);
    });

    it('does not wait for its ping', async () => {
      servers[0].pingReaction = 'hangs';
      await timers.advance(250);
      expect(await run(sampleRequest('q'))).toMatchObject({ rowCount: 0 });
      expect(servers[0].pings).toBe(1);
    });

    it('sends nothing without a request', async () => {
      await timers.advance(3_600_000);
      expect([servers.map(({ pings }) => pings), timers.size]).toEqual([[0, 0, 0], 0]);
    });

    it('uses it again after it responds to a ping', async () => {
      await timers.advance(250);
      await run(sampleRequest('pinging'));
      await settled();
      for (let n = 0; n < 9; n += 1) await run(sampleRequest(String(n)));
      expect(counts()[0]).toBe(3);
    });
  });

  describe('when all servers are ejected', () => {
    beforeEach(async () => {
      for (const server of servers) {
        await loseConnections(server);
        server.pingReaction = 'fails';
      }
    });

    it('rejects at once, and counts the rejection', async () => {
      await expect(begin()).rejects.toMatchObject(UNREACHABLE);
      expect([counts(), pool.figures.state, pool.figures.rejected]).toEqual([[0, 0, 0], 'open', 1]);
    });

    it('rejects queries that waited in the queue meanwhile', async () => {
      await expect(
        pool.run(sampleRequest('queued'), ({ runQuery }, attempt) => runQuery(attempt)),
      ).rejects.toMatchObject(UNREACHABLE);
      expect(pool.figures.rejected).toBe(1);
    });

    it('pings all servers, and uses the first that responds', async () => {
      servers[0].pingReaction = 'hangs';
      servers[2].pingReaction = 'responds';
      await timers.advance(250);
      expect(await run(sampleRequest('q'))).toMatchObject({ rowCount: 0 });
      expect(servers.map(({ pings }) => pings)).toEqual([1, 1, 1]);
      expect(counts()).toEqual([0, 0, 1]);
    });
  });

  it('does not retry in a pool of one server', async () => {
    const [only] = servers;
    only.runQuery.fail(lost());
    const alone = poolOf([only]);
    await expect(runOn(alone)(sampleRequest('q'))).rejects.toMatchObject({
      code: 'CLICKHOUSE_UNREACHABLE',
    });
    expect(only.queryCount).toBe(1);
  });
});
