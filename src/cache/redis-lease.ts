import type { LeaseStore } from '../warming/leader-lease.js';
import type { GuardedRedis } from './guarded-redis.js';
import { DELETE_IF_HELD, RENEW_IF_HELD } from './held-key.js';

/** A lease in Redis, under one key. */
export function redisLease(redis: GuardedRedis, key: string): LeaseStore {
  return {
    take: async (token, leaseMs) => {
      // NX gives null where somebody holds it, which is not the undefined of a Redis that is away.
      const reply = await redis.touch(async (client) => ({
        taken: (await client.set(key, token, 'PX', leaseMs, 'NX')) === 'OK',
      }));
      return reply?.taken;
    },
    renew: async (token, leaseMs) => {
      const reply = await redis.touch((client) => client.eval(RENEW_IF_HELD, 1, key, token, leaseMs));
      return reply === undefined ? undefined : reply === 1;
    },
    release: async (token) => {
      await redis.touch((client) => client.eval(DELETE_IF_HELD, 1, key, token));
    },
  };
}
