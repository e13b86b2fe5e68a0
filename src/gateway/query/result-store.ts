import type { CacheKey } from './cache-key.js';
import type { EndpointResult } from './endpoint-result.js';

/** Which cached results to purge: all, those of an endpoint, or one. */
export interface PurgeScope {
  readonly endpointId?: string;
  readonly hash?: string;
  /** Only results whose query started at or before this time; milliseconds since 1970. */
  readonly createdUntil?: number;
}

/** What a read of the store that gateways share takes where it finds no result to use, and what the write of one ends. */
export interface ResultLease {
  readonly key: string;
  readonly token: string;
  readonly ms: number;
  /** To be called before it is asked for. @returns to be called with the token of its owner, or what else the reply is */
  readonly ask: () => (owner: unknown) => void;
  /** To be called when it is free again. */
  readonly end: () => void;
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
   * @param lease asked for unless the store has a fresh result that is newer.
   */
  readonly get: (
    key: CacheKey,
    newerThan?: number,
    lease?: ResultLease,
  ) => Promise<EndpointResult | undefined>;
  /**
   * @param usableUntil milliseconds since 1970.
   * @param lease ends with the storing; not where the result is not stored.
   */
  readonly set: (
    key: CacheKey,
    result: EndpointResult,
    usableUntil: number,
    lease?: ResultLease,
  ) => Promise<void>;
  readonly purge: (scope: PurgeScope) => Promise<void>;
}
