import type { CacheKey } from './cache-key.js';
import type { EndpointResult } from './endpoint-result.js';

/** Which cached answers are meant: all, those of an endpoint, or one. */
export interface PurgeScope {
  readonly endpointId?: string;
  readonly hash?: string;
  /** Only those whose query began at or before this; milliseconds since 1970. */
  readonly createdUntil?: number;
}

/**
 * Where answers are kept. An answer comes back until it is no longer of use to anybody (`keepUntil`), fresh or not;
 * whether it is fresh is a fact of the answer itself. One from the future (`usableFrom`) is the same as absent: it is not
 * given out, and any other replaces it. No trouble of a store reaches its callers: what can't be read is
 * a miss, what can't be written is not kept.
 */
export interface ResultStore {
  readonly get: (key: CacheKey) => Promise<EndpointResult | undefined>;
  /** @param usableUntil milliseconds since 1970. */
  readonly set: (key: CacheKey, result: EndpointResult, usableUntil: number) => Promise<void>;
  readonly purge: (scope: PurgeScope) => Promise<void>;
}
