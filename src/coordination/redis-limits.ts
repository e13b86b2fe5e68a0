import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

import { PARTS_OF_REST } from '../limits/request-quotas.js';
import type { Permit, SharedLimits, SharedWindow, TakenUnits } from '../limits/shared-limits.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Takes a permit and returns 1, or 0 if none is left. Uses the clock of Redis, because those of gateways can differ.
 * KEYS: the permits; ARGV: token, number of permits, milliseconds after which a permit that was not returned expires.
 */
const TAKE = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('zremrangebyscore', KEYS[1], '-inf', now)
  if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
  redis.call('zadd', KEYS[1], now + ARGV[3], ARGV[1])
  if redis.call('pttl', KEYS[1]) < tonumber(ARGV[3]) then redis.call('pexpire', KEYS[1], ARGV[3]) end
  return 1`;

/**
 * Takes units of a quota. Returns those granted, the count after it and the milliseconds left.
 * KEYS: the counter; ARGV: quota, milliseconds of the window, units wanted, at least, part of the rest that a lease may be.
 */
const TAKE_UNITS = `
  local count = tonumber(redis.call('get', KEYS[1])) or 0
  local left = redis.call('pttl', KEYS[1])
  local rest = math.max(0, ARGV[1] - count)
  local granted = math.min(rest, ARGV[3], math.max(ARGV[4], math.floor(rest / ARGV[5])))
  if granted > 0 then
    count = redis.call('incrby', KEYS[1], granted)
    if left < 0 then
      redis.call('pexpire', KEYS[1], ARGV[2])
      left = tonumber(ARGV[2])
    end
  end
  return {granted, count, left}`;

/**
 * Gives a unit back, unless another window has started since.
 * KEYS: the counter; ARGV: milliseconds that were left of the window.
 */
const GIVE_BACK = `
  local left = redis.call('pttl', KEYS[1])
  if left >= 0 and left <= tonumber(ARGV[1]) then redis.call('decr', KEYS[1]) end`;

export interface RedisLimitsParts {
  /** The client that `redis` wraps. */
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Milliseconds until a permit expires; longer than any query takes, including its wait. */
  readonly permitMs: number;
}

/** Limits that gateways count together in Redis. A missing or invalid reply of Redis is undefined. */
export function limitThroughRedis({ client, redis, keys, permitMs }: RedisLimitsParts): SharedLimits {
  // One counter for all limits. It has no limit itself: the caller compares the counts.
  const counter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: '',
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
  });
  return {
    take: async (name, { quota, windowSeconds, wanted, atLeast }) => {
      const numbers = [quota, windowSeconds * 1000, wanted, atLeast, PARTS_OF_REST];
      return takenUnits(
        await redis.touch((redisClient) => redisClient.eval(TAKE_UNITS, 1, keys.limit(name), ...numbers)),
      );
    },
    giveBack: async (name, msLeft) => {
      await redis.touch((redisClient) =>
        redisClient.eval(GIVE_BACK, 1, keys.limit(name), Math.ceil(Math.max(0, msLeft))),
      );
    },
    add: async (name, amount, windowSeconds) => {
      const options = { customDuration: windowSeconds };
      return windowOf(await redis.touch(() => counter.penalty(keys.limit(name), amount, options)));
    },
    read: async (name) => {
      const counted = await redis.read(() => counter.get(keys.limit(name)));
      return counted === null ? null : windowOf(counted);
    },
    takePermit: async ({ name, token }: Permit, max) => {
      const reply = await redis.touch((redisClient) =>
        redisClient.eval(TAKE, 1, keys.permits(name), token, max, permitMs),
      );
      return reply === 1 || reply === 0 ? reply === 1 : undefined;
    },
    returnPermit: async ({ name, token }: Permit) => {
      await redis.touch((redisClient) => redisClient.zrem(keys.permits(name), token));
    },
  };
}

function windowOf(counted: RateLimiterRes | undefined): SharedWindow | undefined {
  if (!counted) return undefined;
  const { consumedPoints: count, msBeforeNext: msLeft } = counted;
  return Number.isSafeInteger(count) && msLeft >= 0 ? { count, msLeft } : undefined;
}

function takenUnits(reply: unknown): TakenUnits | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [granted, count, left] = reply as unknown[];
  if (!isCount(granted) || !isCount(count) || !Number.isSafeInteger(left)) return undefined;
  return { granted, count, msLeft: Math.max(0, left as number) };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
