import { once } from 'node:events';

import { CircuitBreaker } from '../../src/gateway/coordination/circuit-breaker.js';
import { GuardedRedis } from '../../src/gateway/coordination/guarded-redis.js';
import { connectRedis, type RedisClient } from '../../src/gateway/coordination/redis-connection.js';
import { RedisKeys } from '../../src/gateway/coordination/redis-keys.js';
import { limitThroughRedis } from '../../src/gateway/coordination/redis-limits.js';
import { LimitExceeded } from '../../src/gateway/limits/limit-state.js';
import { Limiter } from '../../src/gateway/limits/limiter.js';

/** The limits of a gateway with a connection of its own to Redis. */
export interface LimitingGateway {
  readonly limiter: Limiter;
  readonly client: RedisClient;
  readonly keys: RedisKeys;
  readonly breaker: CircuitBreaker;
}

export interface LimitingGatewayOptions {
  readonly url: string;
  /** Gateways with the same prefix count together. */
  readonly prefix: string;
  /** Milliseconds. */
  readonly permitMs?: number;
}

export async function openLimitingGateway(options: LimitingGatewayOptions): Promise<LimitingGateway> {
  const { url, prefix, permitMs = 30_000 } = options;
  const client = connectRedis(url, () => undefined);
  // As at the gateway's start-up, which continues without Redis.
  await once(client, 'ready', { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
  const breaker = new CircuitBreaker({
    failuresToOpen: 3,
    firstPauseMs: 100,
    maxPauseMs: 100,
    clock: () => new Date(),
    onChange: () => undefined,
  });
  const redis = new GuardedRedis(client, breaker, () => undefined);
  const keys = new RedisKeys(prefix);
  const shared = limitThroughRedis({ redis, keys, permitMs });
  const now = (): number => performance.now();
  return { limiter: new Limiter(now, shared), client, keys, breaker };
}

/** Whether a request is admitted. @throws any error that is not a limit's rejection. */
export async function isAdmitted(attempt: () => unknown): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    if (error instanceof LimitExceeded) return false;
    throw error;
  }
}
