import type { LeaseStore } from '../warming/leader-lease.js';
import type { GuardedRedis } from './guarded-redis.js';
import { DELETE_IF_HELD, TAKE_OR_RENEW } from './held-key.js';

/** A lease in Redis, under one key. */
export function redisLease(redis: GuardedRedis, key: string): LeaseStore {
  return {
    takeOrRenew: async (token, leaseMs) => {
      const reply = await redis.touch((client) => client.eval(TAKE_OR_RENEW, 1, key, token, leaseMs));
      return reply === undefined ? undefined : reply === 1;
    },
    release: async (token) => {
      await redis.touch((client) => client.eval(DELETE_IF_HELD, 1, key, token));
    },
  };
}
