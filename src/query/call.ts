import type { Values } from '../endpoint/bind.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../endpoint/definition.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { JSON_REPRESENTATION, type Representation } from '../formats/representation.js';
import { cacheKeyOf, type CacheKey } from './cache-key.js';
import type { EndpointResult } from './endpoint-result.js';
import type { Requester } from './ports.js';
import type { RowScope } from './row-scope.js';
import type { SandboxedSelect } from './sandboxed-select.js';

/** One question to an endpoint: validated parameters, and what of the caller decides the rows. */
export interface EndpointQuery {
  readonly endpoint: Endpoint;
  readonly values: Values;
  readonly scope: RowScope;
  /** The caller's own SELECT over the result, where it sent one and the endpoint takes it. */
  readonly sandbox?: SandboxedSelect;
  /** How the rows are written; JSON where it is absent. */
  readonly representation?: Representation;
}

/** What a caller demands of the cache (RFC 9111, request directives). */
export type CacheDemand = 'any' | 'fresh' | 'only-cached';

/** A caller's question. */
export interface Call extends EndpointQuery {
  readonly requestId: string;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  readonly demand: CacheDemand;
  readonly requester?: Requester | undefined;
}

/** How an answer came about. */
export type CacheStatus = 'HIT' | 'MISS' | 'STALE' | 'BYPASS';

export interface CallOutcome {
  readonly result: EndpointResult;
  readonly status: CacheStatus;
  /** Whether the answer is kept for the next one who asks. */
  readonly isStored: boolean;
  /** Whether the caller shared somebody else's query. */
  readonly isCollapsed: boolean;
  /** Whether there was an answer that is no longer fresh. */
  readonly replacesExpired?: boolean;
}

/** What the answer to a question is kept under. */
export function keyOf({ endpoint, values, scope, sandbox, representation }: EndpointQuery): CacheKey {
  return cacheKeyOf(endpoint, values, scope, (representation ?? JSON_REPRESENTATION).name, sandbox);
}

/** Milliseconds since 1970 until which an answer of an endpoint is of use to anybody, expired or not. */
export function usableUntil(result: EndpointResult, { settings }: Endpoint): number {
  return result.expiresAt + (settings.staleIfError ?? DEFAULT_STALE_IF_ERROR_SECONDS) * 1000;
}
