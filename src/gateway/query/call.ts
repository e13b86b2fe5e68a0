import type { BoundQuery } from '../../endpoint/bind.js';
import type { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { Lifetime } from './cache-key.js';
import type { EndpointQuery } from './endpoint-query.js';
import type { EndpointResult } from './endpoint-result.js';
import type { Requester } from './ports.js';
import type { Signal } from './signal.js';

/** What a caller requires of the cache (RFC 9111, request directives). */
export type CacheDemand = 'any' | 'fresh' | 'only-cached';

/** A query that a caller waits for. */
export interface Call extends EndpointQuery {
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly signal: Signal;
  readonly demand: CacheDemand;
  /** Query as {@link bindCall} binds it. Undefined where the call was not bound for its cache key. */
  readonly bound?: BoundQuery | undefined;
  readonly requester?: Requester | undefined;
}

/** How the cache served a result. PARTIAL: composed of cached pieces and new rows. */
export type CacheStatus = 'HIT' | 'MISS' | 'PARTIAL' | 'STALE' | 'BYPASS';

/** A result, and how the gateway got it. */
export interface CallOutcome {
  readonly result: EndpointResult;
  readonly status: CacheStatus;
  /** Whether the result is in the cache for later requests. */
  readonly isStored: boolean;
  /** Whether the caller shared the query of another caller (`collapsed` of RFC 9211). */
  readonly isCollapsed: boolean;
  /** Number of callers of this process that waited for the query and share its cost. Absent where another process ran it, or none did. */
  readonly callers?: number;
  /** Whether the cache had an expired result. */
  readonly replacesExpired?: boolean;
  /** Cost of the query that failed or was partial, so that this stale result replaces its own. */
  readonly spent?: Figures<QueryCost> | undefined;
}

/** End of the stale use of a result, in milliseconds since 1970. */
export function staleUntil({ expiresAt }: EndpointResult, { staleMs }: Lifetime): number {
  return expiresAt + staleMs;
}

/** End of the time in which a result can be confirmed, in milliseconds since 1970. 0 for a result without a version. */
export function confirmableUntil({ createdAt, data }: EndpointResult, { confirmableMs }: Lifetime): number {
  return data ? createdAt + confirmableMs : 0;
}

/** Time after which no caller can get a result, in milliseconds since 1970. */
export function usableUntil(result: EndpointResult, lifetime: Lifetime): number {
  return Math.max(staleUntil(result, lifetime), confirmableUntil(result, lifetime));
}
