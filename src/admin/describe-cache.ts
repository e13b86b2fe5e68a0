import type { EndpointRegistry } from '../endpoint/registry.js';
import type { HitCounter } from '../execution/hit-counts.js';

/** What the cache tells of itself. */
export interface CacheInfo {
  readonly memory: {
    readonly use: () => ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  };
  readonly isRedisOpen: () => boolean;
}

/** Entries, bytes and hit ratios since the start, for each endpoint and tier. */
export function describeCache(
  endpoints: EndpointRegistry,
  cache: CacheInfo,
  hits: HitCounter,
): Readonly<Record<string, unknown>> {
  const use = cache.memory.use();
  return {
    redis: cache.isRedisOpen() ? 'let alone' : 'in use or not configured',
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
        hitRatio: { all: ratio(HIT), memory: ratio(HIT - farHits), redis: ratio(farHits) },
      };
    }),
  };
}
