import { PARTS_OF_REST } from '../limits/request-quotas.js';
import type { Demand, Permit, SharedLimits, StoreReply } from '../limits/shared-limits.js';
import type { GuardedRedis } from './guarded-redis.js';
import { COMMAND_TIMEOUT_MS } from './redis-connection.js';
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
 * Counts units in a window, as `Demand` describes. Returns the time and, unless the demand is void, the units granted, the count after the
 * grant, and the milliseconds left (negative: there is no window).
 * KEYS: the counter; ARGV: time at which the demand becomes void, end of the gateway's window, milliseconds left of that window, known
 * count, owed units, quota, wanted units, minimum of units, number of parts of the rest of which a lease gets one.
 */
const COUNT = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local isRunning = now < tonumber(ARGV[2])
  local added = tonumber(ARGV[5])
  if now > tonumber(ARGV[1]) or (added ~= 0 and not isRunning) then return {now} end
  local count = tonumber(redis.call('get', KEYS[1])) or 0
  local left = redis.call('pttl', KEYS[1])
  if left < 0 and isRunning then added = added + math.max(0, ARGV[4] - count) end
  local rest = math.max(0, ARGV[6] - count - added)
  local granted = math.min(rest, ARGV[7], math.max(ARGV[8], math.floor(rest / ARGV[9])))
  if added + granted ~= 0 then
    count = redis.call('incrby', KEYS[1], added + granted)
    if left < 0 then
      left = tonumber(ARGV[3])
      redis.call('pexpire', KEYS[1], left)
    end
  end
  return {now, granted, count, left}`;

export interface RedisLimitsDependencies {
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Time until a permit expires, in milliseconds. It is longer than any query takes, including its wait. */
  readonly permitMs: number;
}

/** Limits that gateways count together in Redis. A missing or invalid reply of Redis gives undefined. */
export function limitThroughRedis({ redis, keys, permitMs }: RedisLimitsDependencies): SharedLimits {
  return {
    count: async (name, demand) =>
      replyOf(await redis.run((client) => client.eval(COUNT, 1, keys.limit(name), ...numbersOf(demand)))),
    takePermit: async ({ name, token }: Permit, max) => {
      const reply = await redis.run((client) =>
        client.eval(TAKE, 1, keys.permits(name), token, max, permitMs),
      );
      return reply === 1 || reply === 0 ? reply === 1 : undefined;
    },
    returnPermit: async ({ name, token }: Permit) => {
      await redis.run((client) => client.zrem(keys.permits(name), token));
    },
  };
}

/** Arguments of the script COUNT. Without `times`, a gateway does not know the clock of Redis, nor when its window ends there. */
function numbersOf({ quota, msLeft, known, owed, wanted, atLeast, times }: Demand): readonly number[] {
  const { sentAt = Number.MAX_SAFE_INTEGER - COMMAND_TIMEOUT_MS, windowEndsAt = 0 } = times ?? {};
  const ms = [sentAt + COMMAND_TIMEOUT_MS, windowEndsAt, msLeft].map(Math.ceil);
  return [...ms, known, owed, quota, wanted, atLeast, PARTS_OF_REST];
}

function replyOf(reply: unknown): StoreReply | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [time, granted, count, left] = reply as unknown[];
  if (!isCount(time)) return undefined;
  if (reply.length === 1) return { time };
  if (!isCount(granted) || !isCount(count) || !Number.isSafeInteger(left)) return undefined;
  const msLeft = left as number;
  return { time, window: { granted, count, msLeft: msLeft < 0 ? Infinity : msLeft } };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
