import type { DeferredBoard } from '../query/ports.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';
import { readFailure, sharedFailureOf } from './shared-failure.js';

/** Board of deferred calls that gateways share through Redis. */
export function deferredThroughRedis(redis: GuardedRedis, keys: RedisKeys): DeferredBoard {
  return {
    want: async (id, seconds) => {
      const published = await redis.write(async (client) => {
        const [failure] = await Promise.all([
          client.get(keys.deferredFailure(id)),
          client.set(keys.deferred(id), '', 'EX', seconds),
        ]);
        return failure;
      });
      return readFailure(published);
    },
    isWanted: async (id) => (await redis.run((client) => client.exists(keys.deferred(id)))) === 1,
    fail: async (id, error, seconds) => {
      const failure = sharedFailureOf(error);
      if (!failure) return;
      await redis.write((client) =>
        client.set(keys.deferredFailure(id), JSON.stringify(failure), 'EX', seconds),
      );
    },
  };
}
