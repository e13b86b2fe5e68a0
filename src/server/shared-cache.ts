import type { LocalStore } from '../cache/local-store.js';
import type { Config } from '../config/config.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { Logger } from '../observability/logger.js';
import { boundCoalescing } from '../query/bound-coalescing.js';
import type { CacheKey } from '../query/cache-key.js';
import { usableUntil } from '../query/call.js';
import type { EndpointResult } from '../query/endpoint-result.js';
import type { CoalesceAcrossGateways } from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';
import type { UsageLedger, UsedSet } from '../warming/usage-ledger.js';

const PERMIT_SLACK_MS = 5000;
/** What one that waited in vain has for a query of its own: proxies are told to wait for little longer than a query. */
const LAST_TRY_MS = 5000;

/** The cache, and what gateways do together through it. */
export interface OpenCache {
  readonly local: LocalStore;
  readonly store: ResultStore;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  /** Drops results here and on every other gateway; false where the others can be notified only later. */
  readonly purge: (scope: PurgeScope) => Promise<boolean>;
  readonly usage: SharedUsage;
  /** Where gateways count limits together; undefined where each counts for itself. */
  readonly limits: SharedLimits | undefined;
  readonly isLeader: () => boolean;
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
  readonly close: () => Promise<void>;
  /** To be called every second or so: tells the others what was asked here, and keeps or takes the lease. */
  readonly synchronize: () => Promise<void>;
}

/** What is asked for, here and elsewhere. */
export interface SharedUsage {
  readonly sets: (endpointId: string) => Promise<readonly UsedSet[]>;
  readonly forget: (key: CacheKey) => void;
}

export interface CacheDependencies {
  readonly endpoints: EndpointRegistry;
  readonly ledger: UsageLedger;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onEvicted: () => void;
  /** Told of each answer that Redis had and the process had not. */
  readonly onSharedHit: (key: CacheKey) => void;
}

/** Until when an answer that was found far is of use; milliseconds since 1970. */
export function usableUntilOf(
  endpoints: EndpointRegistry,
): (key: CacheKey, result: EndpointResult) => number {
  return (key, result) => {
    const endpoint = endpoints.find(key.endpointId);
    return endpoint ? usableUntil(result, endpoint) : result.expiresAt;
  };
}

/** The longest that a query lasts, its wait for a place included. */
function longestQueryMsOf({ queryTimeoutMs, queue: admission }: Config): number {
  return queryTimeoutMs + admission.maxWaitMs;
}

/** Longer than any query lasts, its wait included. */
export function permitMsOf(config: Config): number {
  return longestQueryMsOf(config) + PERMIT_SLACK_MS;
}

/**
 * How callers of several processes wait for each other's queries: for as long as one may last, and with a moment for a
 * query of their own after that.
 *
 * @param share that way, given the longest wait in milliseconds.
 */
export function boundCoalescingFor(
  config: Config,
  share: (maxWaitMs: number) => CoalesceAcrossGateways,
): CoalesceAcrossGateways {
  const maxWaitMs = longestQueryMsOf(config);
  return boundCoalescing(share(maxWaitMs), maxWaitMs + LAST_TRY_MS);
}
