import { CircuitBreaker } from '../../../../src/gateway/coordination/circuit-breaker.js';
import { GuardedRedis } from '../../../../src/gateway/coordination/guarded-redis.js';
import type { RedisClient } from '../../../../src/gateway/coordination/redis-connection.js';
import { RedisKeys } from '../../../../src/gateway/coordination/redis-keys.js';
import { coalesceThroughRedis } from '../../../../src/gateway/coordination/redis-single-flight.js';
import { Failure } from '../../../../src/gateway/errors.js';
import type { QueryClickHouse } from '../../../../src/gateway/query/fetch-result.js';
import type { ResultStore } from '../../../../src/gateway/query/result-store.js';
import { Abort } from '../../../../src/gateway/query/signal.js';
import { sampleKey, sampleResult } from '../../../support/sample-result.js';

const clock = (): Date => new Date(0);
const RESULT = sampleResult({ createdAt: 0 });

/** Redis and the shared cache, in which the lock is free and nothing is cached. Replies come when they are sent. */
class SlowRedis {
  /** What was asked for, in order. */
  readonly sent: string[] = [];
  /** Whether the shared cache accepts results. */
  isStoring = true;
  private readonly replies = new Map<string, () => void>();

  readonly client = {
    eval: (script: string, _keys: number, _key: string, token: string) =>
      this.waitFor(script.includes("'del'") ? 'release' : 'take', token),
    set: () => this.waitFor('publish', 'OK'),
  } as unknown as RedisClient;

  readonly store: ResultStore = {
    get: async (_key, _newerThan, lease) => {
      const note = lease?.ask();
      await this.waitFor('look up', undefined);
      note?.(lease?.token);
      return undefined;
    },
    set: async (_key, _result, _usableUntil, lease) => {
      await this.waitFor('store', undefined);
      if (this.isStoring) lease?.end();
    },
    purge: () => Promise.resolve(),
  };

  reply(...commands: readonly string[]): Promise<void> {
    for (const command of commands) this.replies.get(command)?.();
    return new Promise((resolve) => setImmediate(resolve));
  }

  private waitFor<T>(command: string, reply: T): Promise<T> {
    this.sent.push(command);
    return new Promise((resolve) => {
      this.replies.set(command, () => {
        resolve(reply);
      });
    });
  }
}

describe('coalesceThroughRedis', () => {
  let slow: SlowRedis;
  let outcome: string;
  const start = async (query: QueryClickHouse): Promise<void> => {
    const options = { failuresToOpen: 3, firstPauseMs: 1, maxPauseMs: 1, clock, onChange: () => undefined };
    const redis = new GuardedRedis(slow.client, new CircuitBreaker(options), () => undefined);
    const keys = new RedisKeys('test:');
    const coalesce = coalesceThroughRedis({
      redis,
      keys,
      store: slow.store,
      clock,
      maxWaitMs: 60_000,
      accepts: () => true,
    });
    coalesce(sampleKey('Rome'), new Abort(), query).then(
      () => (outcome = 'returned'),
      () => (outcome = 'threw'),
    );
    await slow.reply();
  };
  beforeEach(() => {
    slow = new SlowRedis();
    outcome = 'waits';
  });

  it('takes the lock by its look-up, and queries when that has replied', async () => {
    let queries = 0;
    await start(() => {
      queries += 1;
      return Promise.resolve(RESULT);
    });
    expect([queries, slow.sent]).toEqual([0, ['look up']]);
    await slow.reply('look up');
    expect([queries, slow.sent]).toEqual([1, ['look up', 'store']]);
  });

  it.each([
    ['ends with the storing', true, ['look up', 'store']],
    ['is released where the result is not stored', false, ['look up', 'store', 'release']],
  ])('returns a result before it is stored; the lock %s', async (_what, isStoring, sent) => {
    slow.isStoring = isStoring;
    await start(() => Promise.resolve(RESULT));
    await slow.reply('look up');
    expect([outcome, slow.sent]).toEqual(['returned', ['look up', 'store']]);
    await slow.reply('store');
    expect(slow.sent).toEqual(sent);
  });

  it('throws a failure once it is published and the lock is released, so that no later request finds the lock', async () => {
    await start(() => Promise.reject(new Failure('CLICKHOUSE_BUSY', 'ClickHouse is busy.')));
    await slow.reply('look up');
    expect([outcome, slow.sent.at(-1)]).toEqual(['waits', 'publish']);
    await slow.reply('publish');
    expect([outcome, slow.sent.at(-1)]).toEqual(['waits', 'release']);
    await slow.reply('release');
    expect(outcome).toBe('threw');
    expect(slow.sent.filter((command) => command === 'release')).toHaveLength(1);
  });

  it('takes no old result that a failed look-up had missed for that of the query for which it waits', async () => {
    const [old, now] = [sampleResult({ createdAt: 0, expiresAt: 60_000 }), (): Date => new Date(200_000)];
    let looks = 0;
    const client = {
      eval: (_script: string, _keys: number, _key: string, token: string) => Promise.resolve(token),
      get: () => Promise.resolve(null),
    } as unknown as RedisClient;
    const store: ResultStore = {
      get: (_key, _newerThan, lease) => {
        looks += 1;
        lease?.ask()('f'.repeat(32));
        return Promise.resolve(lease ? undefined : old);
      },
      set: () => Promise.resolve(),
      purge: () => Promise.resolve(),
    };
    const options = {
      failuresToOpen: 3,
      firstPauseMs: 1,
      maxPauseMs: 1,
      clock: now,
      onChange: () => undefined,
    };
    const redis = new GuardedRedis(client, new CircuitBreaker(options), () => undefined);
    const limits = { maxWaitMs: 60_000, accepts: () => true };
    const shared = { redis, keys: new RedisKeys('test:'), store, clock: now, ...limits };
    const key = sampleKey('Rome');
    const { result } = await coalesceThroughRedis(shared)(key, new Abort(), () => Promise.resolve(RESULT));
    expect(result).toBe(RESULT);
    expect(looks).toBe(2);
  });
});
