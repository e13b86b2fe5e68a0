import type { CacheKey } from './cache-key.js';
import type { EndpointResult } from './endpoint-result.js';

/** Which cached results to purge: all, those of an endpoint, or one. */
export interface PurgeScope {
  readonly endpointId?: string;
  readonly hash?: string;
  /** Only results whose query started at or before this time; milliseconds since 1970. */
  readonly createdUntil?: number;
}

/**
 * A cache of results. It returns a result until `usableUntil`, fresh or stale; `isFresh` distinguishes them. A result from
 * the future (see `usableFrom`) counts as absent: the cache does not return it, and any other result replaces it. A
 * store never fails its callers: a failed read is a miss, and a failed write stores nothing.
 */
export interface ResultStore {
  /**
   * @param newerThan a fresh result that is not known since a later time does not end the search (see `knownAt`); milliseconds
   * since 1970.
   */
  readonly get: (key: CacheKey, newerThan?: number) => Promise<EndpointResult | undefined>;
  /** @param usableUntil milliseconds since 1970. */
  readonly set: (key: CacheKey, result: EndpointResult, usableUntil: number) => Promise<void>;
  readonly purge: (scope: PurgeScope) => Promise<void>;
}
