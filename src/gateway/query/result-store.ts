import type { CacheKey } from './cache-key.js';
import type { EndpointResult } from './endpoint-result.js';

/** Which cached results to purge: all, those of an endpoint, or one. */
export interface PurgeScope {
  readonly endpointId?: string;
  readonly hash?: string;
  /** Only results whose query started at or before this time; milliseconds since 1970. */
  readonly createdUntil?: number;
}

/** Lease on a result. A read of the shared store takes it where it finds no usable result, and the write of the result ends it. */
export interface ResultLease {
  readonly key: string;
  readonly token: string;
  readonly ms: number;
  /** Must be called before the request for the lease. @returns a function to call with the owner's token, or with another reply */
  readonly ask: () => (owner: unknown) => void;
  /** Must be called when the lease is free again. */
  readonly end: () => void;
}

/**
 * A cache of results. It returns a result until `usableUntil`, fresh or stale. `isFresh` distinguishes them. A result from the future (see
 * `usableFrom`) counts as absent: the cache does not return it, and any other result replaces it. A store never fails its callers. A failed
 * read is a miss, and a failed write stores nothing.
 */
export interface ResultStore {
  /**
   * @param newerThan milliseconds since 1970; the search continues past a fresh result that is not known since a later time (see `knownAt`).
   * @param lease requested unless the store has a fresh result that is newer.
   */
  readonly get: (
    key: CacheKey,
    newerThan?: number,
    lease?: ResultLease,
  ) => Promise<EndpointResult | undefined>;
  /**
   * @param usableUntil milliseconds since 1970.
   * @param lease ended by the write, but only if the result is stored.
   */
  readonly set: (
    key: CacheKey,
    result: EndpointResult,
    usableUntil: number,
    lease?: ResultLease,
  ) => Promise<void>;
  readonly purge: (scope: PurgeScope) => Promise<void>;
}
