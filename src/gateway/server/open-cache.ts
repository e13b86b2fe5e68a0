import { once } from 'node:events';

import { LocalStore } from '../cache/local-store.js';
import { PurgeGuard } from '../cache/purge-guard.js';
import { SharedStore } from '../cache/shared-store.js';
import { TieredStore } from '../cache/tiered-store.js';
import type { Config } from '../config/config.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import { CircuitBreaker } from '../coordination/circuit-breaker.js';
import { GuardedRedis } from '../coordination/guarded-redis.js';
import { connectRedis, type RedisClient } from '../coordination/redis-connection.js';
import { deferredThroughRedis } from '../coordination/redis-deferred.js';
import { RedisKeys } from '../coordination/redis-keys.js';
import { limitThroughRedis } from '../coordination/redis-limits.js';
import { RedisPurges } from '../coordination/redis-purges.js';
import { coalesceThroughRedis } from '../coordination/redis-single-flight.js';
import { RedisVersions } from '../coordination/redis-versions.js';
import type { Logger } from '../observability/logger.js';
import type { RedisState } from '../observability/observed.js';
import { boundCoalescing } from '../query/bound-coalescing.js';
import { withoutCoalescing, type CoalesceAcrossGateways } from '../query/fetch-result.js';
import type { DeferredBoard } from '../query/ports.js';
import type { PurgeScope, ResultStore } from '../query/result-store.js';
import type { KnownVersion, SharedVersions } from '../versions/table-versions.js';
import type { ExecutionParts } from './shared-parts.js';
import { steadyClock } from './steady-clock.js';

const PERMIT_SLACK_MS = 5000;
/** Milliseconds for a follower's own query after its leader returned nothing; short, because proxies soon time out too. */
const LAST_TRY_MS = 5000;
/** Longer than the timeout of a connection, whose error says why it failed. */
const CONNECT_WAIT_MS = 1200;
/** A miss sends three commands without a query between them, so that one miss must not open the breaker. */
const FAILURES_TO_OPEN = 4;

/** The cache, and the coordination with other gateways through Redis. */
export interface OpenCache {
  readonly local: LocalStore;
  readonly store: ResultStore;
  /** Bytes of the largest result that every gateway finds in the cache. */
  readonly maxEntryBytes: number;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  /** Deletes results here and on every other gateway; false if the others can be notified only later. */
  readonly purge: (scope: PurgeScope) => Promise<boolean>;
  /** Versions of tables that gateways of the same ClickHouse read and share; undefined without Redis. */
  readonly versionsOf: (server: string) => SharedVersions | undefined;
  /** State of deferred calls that gateways share; undefined without Redis. */
  readonly deferred: DeferredBoard | undefined;
  /** Limits that all gateways count together; undefined if each gateway counts on its own. */
  readonly limits: SharedLimits | undefined;
  readonly redisState: () => RedisState;
  readonly close: () => Promise<void>;
  /** Repeats the purges of which other gateways could not be notified; called every second. */
  readonly publishAgain: () => Promise<unknown>;
}

/** Opens the local cache and, if Redis is configured, the shared cache behind it. */
export async function openCache(parts: ExecutionParts): Promise<OpenCache> {
  const { config, clock, metrics } = parts;
  const local = new LocalStore(withoutReserve(config.cache.memoryBytes), clock, () => {
    metrics.count('cache_evictions_total', {});
  });
  return config.redisUrl === undefined
    ? openLocalOnly(local, parts)
    : openWithRedis(config.redisUrl, local, parts);
}

/** Maximum memory that misses leave to the garbage collector and to malloc, which return it late. It does not grow with the cache. */
const MAX_RESERVE_BYTES = 128 * 1024 * 1024;
const RESERVE_SHARE = 1 / 4;

/** Bytes for the results, out of the memory that the cache may add to the process. */
const withoutReserve = (bytes: number): number => bytes - Math.min(MAX_RESERVE_BYTES, RESERVE_SHARE * bytes);

function openLocalOnly(local: LocalStore, { clock }: ExecutionParts): OpenCache {
  const store = new PurgeGuard(local, clock);
  return {
    local,
    store,
    maxEntryBytes: local.maxEntryBytes,
    coalesceAcrossGateways: withoutCoalescing(store),
    purge: async (scope) => {
      await store.purge({ ...scope, createdUntil: clock().getTime() });
      return true;
    },
    versionsOf: () => undefined,
    deferred: undefined,
    limits: undefined,
    redisState: () => 'not configured',
    publishAgain: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function openWithRedis(
  redisUrl: string,
  local: LocalStore,
  { config, logger, clock, hits }: ExecutionParts,
): Promise<OpenCache> {
  const { client, redis, breaker } = await openRedis(redisUrl, logger);
  const keys = new RedisKeys(config.cache.keyPrefix);
  const shared = new SharedStore(redis, keys, config.cache.maxSharedBytes, clock);
  const tiers = new TieredStore(local, shared, ({ endpointId }) => {
    hits.countSharedHit(endpointId);
  });
  const store = new PurgeGuard(tiers, clock);
  const purges = new RedisPurges(client, redis, keys, (scope) => {
    store.note(scope);
    void local.purge(scope);
  });
  return {
    local,
    store,
    maxEntryBytes: Math.min(local.maxEntryBytes, config.cache.maxSharedBytes),
    coalesceAcrossGateways: boundCoalescingFor(config, (maxWaitMs) =>
      coalesceThroughRedis({ redis, keys, store, clock, maxWaitMs, accepts: shared.accepts }),
    ),
    purge: async (scope) => {
      const dated = { ...scope, createdUntil: clock().getTime() };
      await store.purge(dated);
      return purges.publish(dated);
    },
    versionsOf: (server) => new RedisVersions<KnownVersion>(redis, keys, server),
    deferred: deferredThroughRedis(redis, keys),
    limits: limitThroughRedis({ redis, keys, permitMs: permitMsOf(config) }),
    redisState: () => {
      if (breaker.state === 'open') return 'circuit open';
      return redis.isRejecting ? 'rejects commands' : 'in use';
    },
    publishAgain: async () => {
      await redis.probe(keys.probe);
      await purges.publishAgain();
    },
    close: () => {
      purges.close();
      client.disconnect();
      return Promise.resolve();
    },
  };
}

interface OpenRedis {
  readonly client: RedisClient;
  readonly redis: GuardedRedis;
  readonly breaker: CircuitBreaker;
}

async function openRedis(redisUrl: string, logger: Logger): Promise<OpenRedis> {
  let reason: string | undefined;
  const breaker = new CircuitBreaker({
    failuresToOpen: FAILURES_TO_OPEN,
    firstPauseMs: 500,
    maxPauseMs: 5000,
    clock: steadyClock,
    onChange: (state) => {
      if (state === 'open')
        logger.warn('Redis does not respond; this process caches results and counts limits on its own', {
          reason: reason ?? 'no reply in time',
        });
      else logger.info('Redis responds again');
    },
  });
  // The client reports an error for each failed connection; the breaker logs the outage once.
  const client = connectRedis(redisUrl, (error) => {
    reason = reasonOf(error);
  });
  client.on('ready', () => (reason = undefined));
  const redis = new GuardedRedis(client, breaker, (isRejecting, reason) => {
    if (isRejecting)
      logger.warn('Redis rejects commands; this process caches results and counts limits on its own', {
        reason,
      });
    else logger.info('Redis accepts commands again');
  });
  await untilConnected(client);
  // Without a connection they fail at once and open the breaker, which logs the reason before the first call.
  for (let n = 0; n < FAILURES_TO_OPEN && client.status !== 'ready'; n += 1)
    await redis.run((connected) => connected.ping());
  return { client, redis, breaker };
}

/** Why Redis cannot be used. A Cluster has the cause of its last node, and a name with several addresses that of each. */
function reasonOf(
  error: Error & { readonly lastNodeError?: Error; readonly errors?: readonly Error[] },
): string {
  const { message, name } = error.lastNodeError ?? error.errors?.[0] ?? error;
  return message || name;
}

/** Waits at most CONNECT_WAIT_MS until Redis is connected, because an unavailable Redis must not delay the start further. */
async function untilConnected(client: RedisClient): Promise<void> {
  if (client.status === 'ready') return;
  await once(client, 'ready', { signal: AbortSignal.timeout(CONNECT_WAIT_MS) }).catch(() => undefined);
}

/** The longest time that a query takes, including its wait for a slot. */
function longestQueryMsOf({ queryTimeoutMs, queue }: Config): number {
  return queryTimeoutMs + queue.maxWaitMs;
}

/** Milliseconds until a permit expires: longer than any query takes, including its wait. */
function permitMsOf(config: Config): number {
  return longestQueryMsOf(config) + PERMIT_SLACK_MS;
}

/**
 * Bounds coalescing across gateways. A follower waits for the longest time that a query can take. Then it has a short time for a
 * query of its own.
 *
 * @param coalesce creates the unbounded function, with the longest wait in milliseconds.
 */
function boundCoalescingFor(
  config: Config,
  coalesce: (maxWaitMs: number) => CoalesceAcrossGateways,
): CoalesceAcrossGateways {
  const maxWaitMs = longestQueryMsOf(config);
  return boundCoalescing(coalesce(maxWaitMs), maxWaitMs + LAST_TRY_MS);
}
