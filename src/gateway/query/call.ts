import type { BoundQuery } from '../../endpoint/bind.js';
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
  /** The query as {@link bindCall} binds it, where that was done for its cache key. */
  readonly bound?: BoundQuery | undefined;
  readonly requester?: Requester | undefined;
}

/** How the cache served a result; PARTIAL: composed of kept pieces and of new rows. */
export type CacheStatus = 'HIT' | 'MISS' | 'PARTIAL' | 'STALE' | 'BYPASS';

/** A result, and how it came about. */
export interface CallOutcome {
  readonly result: EndpointResult;
  readonly status: CacheStatus;
  /** Whether the result is in the cache for later requests. */
  readonly isStored: boolean;
  /** Whether the caller shared the query of another caller (`collapsed` of RFC 9211). */
  readonly isCollapsed: boolean;
  /** How many callers of this process waited for the query, and share its cost; absent where it is not theirs. */
  readonly callers?: number;
  /** Whether the cache had a result that is no longer fresh. */
  readonly replacesExpired?: boolean;
}

/** When the stale use of a result ends; milliseconds since 1970. */
export function staleUntil({ expiresAt }: EndpointResult, { staleMs }: Lifetime): number {
  return expiresAt + staleMs;
}

/** Until when a result can be confirmed; milliseconds since 1970. Nothing confirms one without a version. */
export function confirmableUntil({ createdAt, data }: EndpointResult, { confirmableMs }: Lifetime): number {
  return data ? createdAt + confirmableMs : 0;
}

/** After when no caller can get a result; milliseconds since 1970. */
export function usableUntil(result: EndpointResult, lifetime: Lifetime): number {
  return Math.max(staleUntil(result, lifetime), confirmableUntil(result, lifetime));
}
