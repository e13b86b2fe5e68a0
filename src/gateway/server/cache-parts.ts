import type { LocalStore } from '../cache/local-store.js';
import type { Config } from '../config/config.js';
import type { UsageLedger, UsedSet } from '../coordination/usage-ledger.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { Logger } from '../observability/logger.js';
import { boundCoalescing } from '../query/bound-coalescing.js';
import type { CacheKey } from '../query/cache-key.js';
import { usableUntil } from '../query/call.js';
import type { EndpointResult } from '../query/endpoint-result.js';
import type { CoalesceAcrossGateways } from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

const PERMIT_SLACK_MS = 5000;
/** Milliseconds for a follower's own query after its leader returned nothing; short, because proxies soon time out too. */
const LAST_TRY_MS = 5000;

/** The cache, and the coordination with other gateways through Redis. */
export interface OpenCache {
  readonly local: LocalStore;
  readonly store: ResultStore;
  /** Bytes of the largest result that every gateway finds in the cache. */
  readonly maxEntryBytes: number;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  /** Deletes results here and on every other gateway; false if the others can be notified only later. */
  readonly purge: (scope: PurgeScope) => Promise<boolean>;
  readonly usage: SharedUsage;
  /** Limits that all gateways count together; undefined if each gateway counts on its own. */
  readonly limits: SharedLimits | undefined;
  readonly isLeader: () => boolean;
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
  readonly close: () => Promise<void>;
  /** Publishes the use of this gateway, renews or takes the lease, and retries purges; to be called every second. */
  readonly synchronize: () => Promise<void>;
}

/** The parameter sets that this and other gateways use. */
export interface SharedUsage {
  readonly sets: (endpointId: string) => Promise<readonly UsedSet[]>;
  readonly forget: (key: CacheKey) => void;
}

export interface CacheDependencies {
  readonly endpoints: Endpoints;
  readonly ledger: UsageLedger;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onEvicted: () => void;
  /** Called when the shared cache has a result that is missing or older in the local cache. */
  readonly onSharedHit: (key: CacheKey) => void;
}

/** When the stale use of a result from the shared cache ends; milliseconds since 1970. */
export function usableUntilOf(endpoints: Endpoints): (key: CacheKey, result: EndpointResult) => number {
  return (key, result) => {
    const endpoint = endpoints.find(key.endpointId);
    return endpoint ? usableUntil(result, endpoint) : result.expiresAt;
  };
}

/** The longest time that a query takes, including its wait for a slot. */
function longestQueryMsOf({ queryTimeoutMs, queue }: Config): number {
  return queryTimeoutMs + queue.maxWaitMs;
}

/** Milliseconds until a permit expires: longer than any query takes, including its wait. */
export function permitMsOf(config: Config): number {
  return longestQueryMsOf(config) + PERMIT_SLACK_MS;
}

/**
 * Bounds coalescing across gateways: a follower waits for the longest time that a query can take, and then has a
 * short time for a query of its own.
 *
 * @param coalesce creates the unbounded function, with the longest wait in milliseconds.
 */
export function boundCoalescingFor(
  config: Config,
  coalesce: (maxWaitMs: number) => CoalesceAcrossGateways,
): CoalesceAcrossGateways {
  const maxWaitMs = longestQueryMsOf(config);
  return boundCoalescing(coalesce(maxWaitMs), maxWaitMs + LAST_TRY_MS);
}
