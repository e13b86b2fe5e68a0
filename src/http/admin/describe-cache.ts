import type { EndpointRegistry } from '../../endpoint/registry.js';
import type { HitCounts } from '../../query/hit-counts.js';

/** What the cache tells of itself. */
export interface CacheInfo {
  /** Whether a Redis is configured. */
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
  /** Of the answers in memory, by endpoint id. */
  readonly local: {
    readonly use: () => ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  };
}

function redisState({ hasRedis, isRedisOpen }: CacheInfo): string {
  if (!hasRedis) return 'not configured';
  return isRedisOpen() ? 'let alone' : 'in use';
}

const NO_HITS: HitCounts = { HIT: 0, MISS: 0, STALE: 0, BYPASS: 0, sharedHits: 0 };

/** Entries, bytes and hit ratios since the start, for each endpoint and tier. */
export function describeCache(
  endpoints: EndpointRegistry,
  cache: CacheInfo,
  hits: ReadonlyMap<string, Readonly<HitCounts>>,
): Readonly<Record<string, unknown>> {
  const inMemory = cache.local.use();
  return {
    redis: redisState(cache),
    endpoints: endpoints.all().map(({ id, name, settings }) => {
      const { HIT, MISS, STALE, BYPASS, sharedHits } = hits.get(id) ?? NO_HITS;
      const asked = HIT + MISS + STALE + BYPASS;
      const ratio = (count: number): number | null => (asked === 0 ? null : count / asked);
      return {
        endpoint: name,
        caching: settings.caching,
        ...(inMemory.get(id) ?? { entries: 0, bytes: 0 }),
        asked,
        hits: HIT,
        misses: MISS,
        stale: STALE,
        bypassed: BYPASS,
        hitRatio: {
          all: ratio(HIT), // What Redis had may have expired since, and is then no hit.
          memory: ratio(Math.max(0, HIT - sharedHits)),
          redis: ratio(sharedHits),
        },
      };
    }),
  };
}
