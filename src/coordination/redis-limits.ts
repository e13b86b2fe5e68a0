import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

import type { Permit, SharedLimits, SharedWindow } from '../limits/shared-limits.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * By Redis's own clock, since gateways' may differ. KEYS: the permits; ARGV: token, how many there are, milliseconds
 * after which one that was not given back is free again. Gives 1 where there was one left.
 */
const TAKE = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('zremrangebyscore', KEYS[1], '-inf', now)
  if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
  redis.call('zadd', KEYS[1], now + ARGV[3], ARGV[1])
  if redis.call('pttl', KEYS[1]) < tonumber(ARGV[3]) then redis.call('pexpire', KEYS[1], ARGV[3]) end
  return 1`;

export interface RedisLimitsParts {
  /** The client that the guard guards. */
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Milliseconds for which a permit is good: longer than any query, its wait included. */
  readonly permitMs: number;
}

/** Limits of gateways that share a Redis. What Redis does not say, or says as nonsense, is undefined. */
export function limitThroughRedis({ client, redis, keys, permitMs }: RedisLimitsParts): SharedLimits {
  // One counter for all rules: it counts, and whether that is too many is the caller's affair.
  const counter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: '',
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
  });
  return {
    add: async (name, amount, windowSeconds) => {
      const options = { customDuration: windowSeconds };
      return sane(await redis.touch(() => counter.penalty(keys.limit(name), amount, options)));
    },
    read: async (name) => {
      const counted = await redis.read(() => counter.get(keys.limit(name)));
      return counted === null ? null : sane(counted);
    },
    takePermit: async ({ name, token }: Permit, max) => {
      const reply = await redis.touch((to) => to.eval(TAKE, 1, keys.permits(name), token, max, permitMs));
      return reply === 1 || reply === 0 ? reply === 1 : undefined;
    },
    returnPermit: async ({ name, token }: Permit) => {
      await redis.touch((to) => to.zrem(keys.permits(name), token));
    },
  };
}

function sane(counted: RateLimiterRes | undefined): SharedWindow | undefined {
  if (!counted) return undefined;
  const { consumedPoints: count, msBeforeNext: msLeft } = counted;
  return Number.isSafeInteger(count) && msLeft >= 0 ? { count, msLeft } : undefined;
}
