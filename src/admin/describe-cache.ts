import type { EndpointRegistry } from '../endpoint/registry.js';
import type { HitCounter } from '../execution/hit-counts.js';

/** What the cache tells of itself. */
export interface CacheInfo {
  readonly memory: {
    readonly use: () => ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  };
  /** Whether a Redis is configured. */
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
}

function redisState({ hasRedis, isRedisOpen }: CacheInfo): string {
  if (!hasRedis) return 'not configured';
  return isRedisOpen() ? 'let alone' : 'in use';
}

/** Entries, bytes and hit ratios since the start, for each endpoint and tier. */
export function describeCache(
  endpoints: EndpointRegistry,
  cache: CacheInfo,
  hits: HitCounter,
): Readonly<Record<string, unknown>> {
  const use = cache.memory.use();
  return {
    redis: redisState(cache),
    endpoints: endpoints.all().map(({ id, name, settings }) => {
      const { HIT, MISS, STALE, BYPASS, farHits } = hits.of(id);
      const asked = HIT + MISS + STALE + BYPASS;
      const ratio = (count: number): number | null => (asked === 0 ? null : count / asked);
      return {
        endpoint: name,
        caching: settings.caching,
        ...(use.get(id) ?? { entries: 0, bytes: 0 }),
        asked,
        hits: HIT,
        misses: MISS,
        stale: STALE,
        bypassed: BYPASS,
        hitRatio: {
          all: ratio(HIT), // What Redis had may have expired since, and is then no hit.
          memory: ratio(Math.max(0, HIT - farHits)),
          redis: ratio(farHits),
        },
      };
    }),
  };
}
