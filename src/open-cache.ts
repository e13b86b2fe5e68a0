import { once } from 'node:events';

import { CircuitBreaker } from './cache/circuit-breaker.js';
import { GuardedRedis } from './cache/guarded-redis.js';
import { MemoryStore } from './cache/memory-store.js';
import { PurgeGuard } from './cache/purge-guard.js';
import { connectRedis, type RedisClient } from './cache/redis-connection.js';
import { RedisKeys } from './cache/redis-keys.js';
import { redisLease } from './cache/redis-lease.js';
import { limitsThroughRedis } from './cache/redis-limits.js';
import { RedisPurges } from './cache/redis-purges.js';
import { shareThroughRedis } from './cache/redis-share.js';
import { RedisStore } from './cache/redis-store.js';
import { RedisUsage } from './cache/redis-usage.js';
import { TieredStore } from './cache/tiered-store.js';
import type { Config } from './config/config.js';
import type { EndpointRegistry } from './endpoint/registry.js';
import type { Answer } from './execution/answer.js';
import type { AnswerStore, PurgeScope } from './execution/answer-store.js';
import { keepUntil } from './execution/call.js';
import type { CacheKey } from './execution/cache-key.js';
import { shareWithNobody, type ShareAcross } from './execution/fetch-answer.js';
import type { Clock } from './execution/ports.js';
import type { SharedLimits } from './limits/shared-limits.js';
import type { Logger } from './log/logger.js';
import { LeaderLease } from './warming/leader-lease.js';
import type { UsageLedger, UsedSet } from './warming/usage-ledger.js';

/** A dead leader's place is free after this long. */
const LEASE_MS = 3000;
const CONNECT_WAIT_MS = 1000;
const PERMIT_SLACK_MS = 5000;

/** The cache, and what gateways do together through it. */
export interface OpenCache {
  readonly memory: MemoryStore;
  readonly store: AnswerStore;
  readonly shareAcross: ShareAcross;
  /** Drops answers here and on every other gateway. */
  readonly purge: (scope: PurgeScope) => Promise<void>;
  readonly usage: SharedUsage;
  /** Where gateways count limits together; undefined where each counts for itself. */
  readonly limits: SharedLimits | undefined;
  readonly isLeader: () => boolean;
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
  readonly close: () => Promise<void>;
  /** To be called every second or so: tells the others what was asked here, and keeps or takes the lease. */
  readonly keepInTouch: () => Promise<void>;
}

/** What is asked for, here and elsewhere. */
export interface SharedUsage {
  readonly sets: (endpointId: string) => Promise<readonly UsedSet[]>;
  readonly forget: (key: CacheKey) => void;
}

export interface CacheSurroundings {
  readonly endpoints: EndpointRegistry;
  readonly ledger: UsageLedger;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onEvicted: () => void;
  /** Told of each answer that Redis had and the process had not. */
  readonly onFarHit: (key: CacheKey) => void;
}

/** Opens the cache: the process's own, and over a Redis where one is configured. */
export async function openCache(config: Config, surroundings: CacheSurroundings): Promise<OpenCache> {
  const { clock, onEvicted } = surroundings;
  const memory = new MemoryStore(config.cache.memoryBytes, clock, onEvicted);
  return config.redisUrl === undefined
    ? openAlone(memory, surroundings)
    : openWithRedis(config, config.redisUrl, memory, surroundings);
}

function openAlone(memory: MemoryStore, { ledger, clock }: CacheSurroundings): OpenCache {
  const store = new PurgeGuard(memory);
  return {
    memory,
    store,
    shareAcross: shareWithNobody(store),
    purge: (scope) => store.purge({ ...scope, bornUntil: clock().getTime() }),
    usage: {
      sets: (endpointId) => Promise.resolve(ledger.sets(endpointId)),
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
  const { client, redis, breaker } = await openRedis(redisUrl, logger, clock);
  const keys = new RedisKeys(config.cache.keyPrefix);
  const shared = new RedisStore(redis, keys, config.cache.maxSharedBytes);
  const keepUntilOf = (key: CacheKey, answer: Answer): number => {
    const endpoint = endpoints.find(key.endpointId);
    return endpoint ? keepUntil(answer, endpoint) : answer.expiresAt;
  };
  const tiers = new TieredStore(memory, shared, keepUntilOf, onFarHit);
  const store = new PurgeGuard(tiers);
  const purges = new RedisPurges(client, redis, keys, (scope) => {
    store.note(scope);
    void memory.purge(scope);
  });
  const usage = new RedisUsage({ redis, keys, ledger, endpoints, maxSets: config.warming.maxSets, clock });
  const lease = new LeaderLease(redisLease(redis, keys.leader), LEASE_MS, () => performance.now());
  return {
    memory,
    store,
    shareAcross: shareThroughRedis({
      redis,
      keys,
      store,
      clock,
      maxWaitMs: config.queryTimeoutMs,
    }),
    purge: async (scope) => {
      const dated = { ...scope, bornUntil: clock().getTime() };
      await store.purge(dated);
      await purges.tell(dated);
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

/** Longer than any query lasts, its wait included. */
function permitMsOf({ queryTimeoutMs, admission }: Config): number {
  return queryTimeoutMs + admission.maxWaitMs + PERMIT_SLACK_MS;
}

interface OpenRedis {
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly breaker: CircuitBreaker;
}

async function openRedis(redisUrl: string, logger: Logger, clock: Clock): Promise<OpenRedis> {
  const breaker = new CircuitBreaker({
    failuresToOpen: 3,
    firstPauseMs: 500,
    maxPauseMs: 5000,
    clock,
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
