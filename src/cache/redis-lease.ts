import type { LeaseStore } from '../warming/leader-lease.js';
import type { GuardedRedis } from './guarded-redis.js';

const RENEW = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('pexpire', KEYS[1], ARGV[2])`;
const RELEASE = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('del', KEYS[1])`;

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
      const reply = await redis.touch((client) => client.eval(RENEW, 1, key, token, leaseMs));
      return reply === undefined ? undefined : reply === 1;
    },
    release: async (token) => {
      await redis.touch((client) => client.eval(RELEASE, 1, key, token));
    },
  };
}
