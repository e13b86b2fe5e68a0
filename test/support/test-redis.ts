import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

import { CircuitBreaker, type BreakerState } from '../../src/gateway/coordination/circuit-breaker.js';
import { GuardedRedis } from '../../src/gateway/coordination/guarded-redis.js';
import { connectRedis, type RedisClient } from '../../src/gateway/coordination/redis-connection.js';
import { RedisKeys } from '../../src/gateway/coordination/redis-keys.js';
import { variable } from './clickhouse.js';

/** A connection to the run's shared Redis, configured as in the cache, with a key prefix that no other test uses. */
export interface TestRedis {
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  readonly prefix: string;
  /** States reported by the circuit breaker and the guard, in order. */
  readonly states: readonly (BreakerState | 'rejecting' | 'accepting')[];
  /** All keys under the prefix. */
  readonly names: () => Promise<readonly string[]>;
  readonly close: () => void;
}

export const sharedRedisUrl = (): string => variable('TEST_REDIS_URL');

/** Generates an unused prefix. */
export const newPrefix = (): string => `test-${randomBytes(6).toString('hex')}:`;

export async function openTestRedis(url = sharedRedisUrl()): Promise<TestRedis> {
  const prefix = newPrefix();
  const states: TestRedis['states'][number][] = [];
  const client = connectRedis(url, () => undefined);
  if (client.status !== 'ready') await once(client, 'ready');
  const breaker = new CircuitBreaker({
    failuresToOpen: 3,
    firstPauseMs: 100,
    maxPauseMs: 100,
    clock: () => new Date(),
    onChange: (state) => states.push(state),
  });
  const redis = new GuardedRedis(client, breaker, (rejecting) =>
    states.push(rejecting ? 'rejecting' : 'accepting'),
  );
  return {
    client,
    redis,
    keys: new RedisKeys(prefix),
    prefix,
    states,
    names: () => client.keys(`${prefix}*`),
    close: () => {
      client.disconnect();
    },
  };
}
