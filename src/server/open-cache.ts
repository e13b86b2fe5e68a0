import { once } from 'node:events';

import { CircuitBreaker } from '../coordination/circuit-breaker.js';
import { GatewaysUsage } from '../coordination/gateways-usage.js';
import { GuardedRedis } from '../coordination/guarded-redis.js';
import { MemoryStore } from '../cache/local-store.js';
import { PurgeGuard } from '../cache/purge-guard.js';
import { connectRedis, type RedisClient } from '../coordination/redis-connection.js';
import { RedisKeys } from '../coordination/redis-keys.js';
import { RedisLease } from '../coordination/redis-lease.js';
import { limitsThroughRedis } from '../coordination/redis-limits.js';
import { RedisPurges } from '../coordination/redis-purges.js';
import { shareThroughRedis } from '../coordination/redis-single-flight.js';
import { RedisStore } from '../cache/shared-store.js';
import { RedisUsageBoard } from '../coordination/redis-usage.js';
import { TieredStore } from '../cache/tiered-store.js';
import type { Config } from '../config/config.js';
import { shareWithNobody } from '../query/fetch-result.js';
import type { Logger } from '../observability/logger.js';
import {
  keepUntilOf,
  permitMsOf,
  sharedFor,
  type CacheSurroundings,
  type OpenCache,
} from './shared-cache.js';
import { steadyClock } from './steady-clock.js';
import { LeaderLease } from '../coordination/leader-lease.js';

/** A dead leader's place is free after this long. */
const LEASE_MS = 3000;
const CONNECT_WAIT_MS = 1000;

/** Opens the cache: the process's own, over a Redis where one is configured. */
export async function openCache(config: Config, surroundings: CacheSurroundings): Promise<OpenCache> {
  const { clock, onEvicted } = surroundings;
  const memory = new MemoryStore(config.cache.memoryBytes, clock, onEvicted);
  if (config.redisUrl === undefined) return openAlone(memory, surroundings);
  return openWithRedis(config, config.redisUrl, memory, surroundings);
}

function openAlone(memory: MemoryStore, { ledger, clock }: CacheSurroundings): OpenCache {
  const store = new PurgeGuard(memory, clock);
  return {
    memory,
    store,
    shareAcross: shareWithNobody(store),
    purge: async (scope) => {
      await store.purge({ ...scope, bornUntil: clock().getTime() });
      return true;
    },
    usage: {
      sets: (endpointId) => Promise.resolve(ledger.sets(endpointId, clock().getTime())),
      forget: (key) => {
        ledger.forget(key);
      },
    },
    limits: undefined,
    isLeader: () => true,
    hasRedis: false,
    isRedisOpen: () => false,
    keepInTouch: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function openWithRedis(
  config: Config,
  redisUrl: string,
  memory: MemoryStore,
  { endpoints, ledger, logger, clock, onFarHit }: CacheSurroundings,
): Promise<OpenCache> {
  const { client, redis, breaker } = await openRedis(redisUrl, logger);
  const keys = new RedisKeys(config.cache.keyPrefix);
  const shared = new RedisStore(redis, keys, config.cache.maxSharedBytes, clock);
  const tiers = new TieredStore(memory, shared, keepUntilOf(endpoints), onFarHit);
  const store = new PurgeGuard(tiers, clock);
  const purges = new RedisPurges(client, redis, keys, (scope) => {
    store.note(scope);
    void memory.purge(scope);
  });
  const usage = new GatewaysUsage({
    board: new RedisUsageBoard(redis, keys),
    ledger,
    endpoints,
    maxSets: config.warming.maxSets,
    clock,
  });
  const lease = new LeaderLease(new RedisLease(redis, keys.leader, LEASE_MS));
  return {
    memory,
    store,
    shareAcross: sharedFor(config, (maxWaitMs) =>
      shareThroughRedis({ redis, keys, store, clock, maxWaitMs }),
    ),
    purge: async (scope) => {
      const dated = { ...scope, bornUntil: clock().getTime() };
      await store.purge(dated);
      return purges.tell(dated);
    },
    usage: {
      sets: (endpointId) => usage.sets(endpointId),
      forget: (key) => {
        usage.forget(key);
      },
    },
    limits: limitsThroughRedis({ client, redis, keys, permitMs: permitMsOf(config) }),
    isLeader: () => lease.isLeader,
    hasRedis: true,
    isRedisOpen: () => breaker.state === 'open',
    keepInTouch: async () => {
      await Promise.all([lease.attempt(), usage.publish(), purges.tellAgain()]);
    },
    close: async () => {
      await lease.release();
      purges.close();
      client.disconnect();
    },
  };
}

interface OpenRedis {
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly breaker: CircuitBreaker;
}

async function openRedis(redisUrl: string, logger: Logger): Promise<OpenRedis> {
  const breaker = new CircuitBreaker({
    failuresToOpen: 3,
    firstPauseMs: 500,
    maxPauseMs: 5000,
    clock: steadyClock,
    onChange: (state) => {
      if (state === 'open')
        logger.warn('Redis does not answer; results are cached and limits counted in this process alone');
      else logger.info('Redis answers again');
    },
  });
  // Each lost connection is an error of the client's; the breaker tells of it once.
  const client = connectRedis(redisUrl, () => undefined);
  const redis = new GuardedRedis(client, breaker, (refusing, reason) => {
    if (refusing)
      logger.warn('Redis refuses commands; results are cached and limits counted in this process alone', {
        reason,
      });
    else logger.info('Redis takes commands again');
  });
  await untilConnected(client);
  return { client, redis, breaker };
}

/** Gives a Redis that is there the time to connect; one that is not costs the start no more than this. */
async function untilConnected(client: RedisClient): Promise<void> {
  if (client.status === 'ready') return;
  await once(client, 'ready', { signal: AbortSignal.timeout(CONNECT_WAIT_MS) }).catch(() => undefined);
}
