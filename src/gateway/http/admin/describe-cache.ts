import { writtenCaching } from '../../../endpoint/caching.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import type { RedisState } from '../../observability/observed.js';
import { NO_HITS, type HitCounts } from '../../query/hit-counts.js';

/** The state of the cache that `GET /cache` describes. */
export interface CacheInfo {
  readonly redisState: () => RedisState;
  /** Results in the memory of this process, by endpoint id. */
  readonly local: {
    readonly memoryUse: () => ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  };
}

/** The body of `GET /cache`: entries, bytes, requests and hit ratios since the start, for each endpoint and tier. */
export function describeCache(
  endpoints: Endpoints,
  cache: CacheInfo,
  hits: ReadonlyMap<string, Readonly<HitCounts>>,
): Readonly<Record<string, unknown>> {
  const usage = cache.local.memoryUse();
  return {
    redis: cache.redisState(),
    endpoints: endpoints.all().map(({ id, name, settings, pieces }) => {
      const { HIT, MISS, PARTIAL, STALE, BYPASS, sharedHits, savedRows, savedBytes } =
        hits.get(id) ?? NO_HITS;
      const requests = HIT + MISS + PARTIAL + STALE + BYPASS;
      const ratio = (count: number): number | null => (requests === 0 ? null : count / requests);
      return {
        endpoint: name,
        caching: writtenCaching(settings),
        ...(usage.get(id) ?? { entries: 0, bytes: 0 }),
        requests,
        hits: HIT,
        misses: MISS,
        partial: PARTIAL,
        stale: STALE,
        bypassed: BYPASS,
        ...(pieces && { savedRows, savedBytes }),
        hitRatio: {
          all: ratio(HIT),
          // An entry that was found in Redis can expire before it is served: it is in `sharedHits`, but not a HIT.
          local: ratio(Math.max(0, HIT - sharedHits)),
          shared: ratio(sharedHits),
        },
      };
    }),
  };
}
