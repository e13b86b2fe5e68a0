import type { BoundQuery } from '../../endpoint/bind.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../endpoint/definition.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { EVERY_ROW_READER, OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { bindCall } from './bind-call.js';
import { cacheKeyOf, type CacheKey } from './cache-key.js';
import type { EndpointQuery } from './endpoint-query.js';
import type { EndpointResult } from './endpoint-result.js';
import type { Requester } from './ports.js';
import { EVERY_ROW } from './row-scope.js';

/** What a caller requires of the cache (RFC 9111, request directives). */
export type CacheDemand = 'any' | 'fresh' | 'only-cached';

/** A query that a caller waits for. */
export interface Call extends EndpointQuery {
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly demand: CacheDemand;
  /** The query as {@link bindCall} binds it, where that was done for its cache key. */
  readonly bound?: BoundQuery | undefined;
  readonly requester?: Requester | undefined;
}

/** How the cache served a result. */
export type CacheStatus = 'HIT' | 'MISS' | 'STALE' | 'BYPASS';

/** A result, and how it came about. */
export interface CallOutcome {
  readonly result: EndpointResult;
  readonly status: CacheStatus;
  /** Whether the result is in the cache for later requests. */
  readonly isStored: boolean;
  /** Whether the caller shared the query of another caller (`collapsed` of RFC 9211). */
  readonly isCollapsed: boolean;
  /** Whether the cache had a result that is no longer fresh. */
  readonly replacesExpired?: boolean;
}

/** The caller of a query, as a reader of its figures: only without pinned parameters and SQL of its own does it see every row. */
export function readerOf({ scope, sandbox }: Pick<EndpointQuery, 'scope' | 'sandbox'>): Reader {
  return scope === EVERY_ROW && !sandbox ? EVERY_ROW_READER : OWN_ROWS_READER;
}

/** The cache key of a query's result. @param bound the query as {@link bindCall} binds it. */
export function keyOf(query: EndpointQuery, bound: BoundQuery = bindCall(query)): CacheKey {
  const { endpoint, values, scope, representation } = query;
  return cacheKeyOf(endpoint, values, scope, (representation ?? JSON_REPRESENTATION).name, bound);
}

/** When the stale use of a result ends, after which no caller can get it; milliseconds since 1970. */
export function usableUntil(result: EndpointResult, { settings }: Endpoint): number {
  return result.expiresAt + (settings.staleIfError ?? DEFAULT_STALE_IF_ERROR_SECONDS) * 1000;
}
