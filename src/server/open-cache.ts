import { once } from 'node:events';

import { LocalStore } from '../cache/local-store.js';
import { PurgeGuard } from '../cache/purge-guard.js';
import { SharedStore } from '../cache/shared-store.js';
import { TieredStore } from '../cache/tiered-store.js';
import type { Config } from '../config/config.js';
import { CircuitBreaker } from '../coordination/circuit-breaker.js';
import { GatewaysUsage } from '../coordination/gateways-usage.js';
import { GuardedRedis } from '../coordination/guarded-redis.js';
import { LeaderLease } from '../coordination/leader-lease.js';
import { connectRedis, type RedisClient } from '../coordination/redis-connection.js';
import { RedisKeys } from '../coordination/redis-keys.js';
import { RedisLease } from '../coordination/redis-lease.js';
import { limitThroughRedis } from '../coordination/redis-limits.js';
import { RedisPurges } from '../coordination/redis-purges.js';
import { coalesceThroughRedis } from '../coordination/redis-single-flight.js';
import { RedisUsageBoard } from '../coordination/redis-usage.js';
import type { Logger } from '../observability/logger.js';
import { withoutCoalescing } from '../query/fetch-result.js';
import {
  usableUntilOf,
  permitMsOf,
  boundCoalescingFor,
  type CacheDependencies,
  type OpenCache,
} from './shared-cache.js';
import { steadyClock } from './steady-clock.js';

/** A dead leader's place is free after this long. */
const LEASE_MS = 3000;
const CONNECT_WAIT_MS = 1000;

/** Opens the cache: the process's own, over a Redis where one is configured. */
export async function openCache(config: Config, dependencies: CacheDependencies): Promise<OpenCache> {
  const { clock, onEvicted } = dependencies;
  const memory = new LocalStore(config.cache.memoryBytes, clock, onEvicted);
  if (config.redisUrl === undefined) return openAlone(memory, dependencies);
  return openWithRedis(config, config.redisUrl, memory, dependencies);
}

function openAlone(memory: LocalStore, { ledger, clock }: CacheDependencies): OpenCache {
  const store = new PurgeGuard(memory, clock);
  return {
    local: memory,
    store,
    coalesceAcrossGateways: withoutCoalescing(store),
    purge: async (scope) => {
      await store.purge({ ...scope, createdUntil: clock().getTime() });
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
    synchronize: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function openWithRedis(
  config: Config,
  redisUrl: string,
  memory: LocalStore,
  { endpoints, ledger, logger, clock, onSharedHit }: CacheDependencies,
): Promise<OpenCache> {
  const { client, redis, breaker } = await openRedis(redisUrl, logger);
  const keys = new RedisKeys(config.cache.keyPrefix);
  const shared = new SharedStore(redis, keys, config.cache.maxSharedBytes, clock);
  const tiers = new TieredStore(memory, shared, usableUntilOf(endpoints), onSharedHit);
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
    local: memory,
    store,
    coalesceAcrossGateways: boundCoalescingFor(config, (maxWaitMs) =>
      coalesceThroughRedis({ redis, keys, store, clock, maxWaitMs }),
    ),
    purge: async (scope) => {
      const dated = { ...scope, createdUntil: clock().getTime() };
      await store.purge(dated);
      return purges.publish(dated);
    },
    usage: {
      sets: (endpointId) => usage.sets(endpointId),
      forget: (key) => {
        usage.forget(key);
      },
    },
    limits: limitThroughRedis({ client, redis, keys, permitMs: permitMsOf(config) }),
    isLeader: () => lease.isLeader,
    hasRedis: true,
    isRedisOpen: () => breaker.state === 'open',
    synchronize: async () => {
      await Promise.all([lease.attempt(), usage.publish(), purges.publishAgain()]);
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
