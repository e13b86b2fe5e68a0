import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { CacheStatus } from './call.js';

/** Calls of an endpoint, by how the cache served them. */
export interface HitCounts extends Record<CacheStatus, number> {
  /** Results that came from the shared cache, because the local cache had none or an older one. */
  sharedHits: number;
  /** Rows that composed results did not read again, because the queries of their cached pieces had. `savedBytes`: in bytes. */
  savedRows: number;
  savedBytes: number;
}

export const NO_HITS: Readonly<HitCounts> = {
  ...{ HIT: 0, MISS: 0, PARTIAL: 0, STALE: 0, BYPASS: 0, sharedHits: 0, savedRows: 0, savedBytes: 0 },
};

/** Counts calls by endpoint id, since the gateway started. */
export class HitCounter {
  private readonly counts = new Map<string, HitCounts>();

  count(endpointId: string, status: CacheStatus): void {
    this.of(endpointId)[status] += 1;
  }

  countSharedHit(endpointId: string): void {
    this.of(endpointId).sharedHits += 1;
  }

  countSaved(endpointId: string, { rowsRead, bytesRead }: QueryCost): void {
    const counts = this.of(endpointId);
    counts.savedRows += rowsRead;
    counts.savedBytes += bytesRead;
  }

  /** Counts of every endpoint that was called. */
  all(): ReadonlyMap<string, Readonly<HitCounts>> {
    return this.counts;
  }

  of(endpointId: string): HitCounts {
    const known = this.counts.get(endpointId);
    if (known) return known;
    const counts = { ...NO_HITS };
    this.counts.set(endpointId, counts);
    return counts;
  }
}
