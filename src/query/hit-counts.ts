import type { CacheStatus } from './call.js';

/** Questions to an endpoint, by how they were answered. */
export interface HitCounts extends Record<CacheStatus, number> {
  /** Of the hits, those that the process did not have itself. */
  sharedHits: number;
}

/** Counts by endpoint id, since the start. */
export class HitCounter {
  private readonly counts = new Map<string, HitCounts>();

  count(endpointId: string, status: CacheStatus): void {
    this.of(endpointId)[status] += 1;
  }

  countSharedHit(endpointId: string): void {
    this.of(endpointId).sharedHits += 1;
  }

  /** Of every endpoint that was asked. */
  all(): ReadonlyMap<string, Readonly<HitCounts>> {
    return this.counts;
  }

  of(endpointId: string): HitCounts {
    const known = this.counts.get(endpointId);
    if (known) return known;
    const counts = { HIT: 0, MISS: 0, STALE: 0, BYPASS: 0, sharedHits: 0 };
    this.counts.set(endpointId, counts);
    return counts;
  }
}
