import type { UsageBoard } from './gateways-usage.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** The board in Redis: one key for each gateway and endpoint, and a set of those gateways. All expire. */
export function redisUsageBoard(redis: GuardedRedis, keys: RedisKeys): UsageBoard {
  return {
    write: ({ endpointId, gateway, at, words }, keptMs) =>
      redis.write(async (client) => {
        await client.zadd(keys.gateways(endpointId), at, gateway);
        await client.zremrangebyscore(keys.gateways(endpointId), '-inf', String(at - keptMs));
        await client.pexpire(keys.gateways(endpointId), keptMs);
        await client.set(keys.usage(endpointId, gateway), words, 'PX', keptMs);
        return true as const;
      }),
    readOthers: (endpointId, own) =>
      redis.read(async (client) => {
        const gateways = await client.zrange(keys.gateways(endpointId), '0', '-1');
        const others = gateways.filter((gateway) => gateway !== own);
        const words = await Promise.all(others.map((gateway) => client.get(keys.usage(endpointId, gateway))));
        return words.filter((text) => text !== null);
      }),
  };
}
