import { LRUCache } from 'lru-cache';

import type { EntryName, CacheKey } from '../query/cache-key.js';
import { MAX_CLOCK_SKEW_MS, unlessFromFuture } from '../query/clock-skew.js';
import type { EndpointResult } from '../query/endpoint-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

/** Purges of single answers that are remembered; older ones have long since no query left that began before them. */
const REMEMBERED = 10_000;

/** Keeps answers out whose query began before a purge of them: it may not have seen what the purge was for. */
export class PurgeGuard implements ResultStore {
  private readonly purgedAt = new LRUCache<string, number>({ max: REMEMBERED });

  constructor(
    private readonly store: ResultStore,
    private readonly clock: Clock,
  ) {}

  readonly get = async (key: CacheKey): Promise<EndpointResult | undefined> => {
    const result = await this.store.get(key);
    const purgedAt = this.lastPurge(key);
    if (!result || result.createdAt > purgedAt) return result;
    // Redis was away at that time, or the answer was on its way from there.
    await this.store.purge({ ...key, createdUntil: purgedAt });
    return undefined;
  };

  readonly set = async (key: CacheKey, result: EndpointResult, usableUntil: number): Promise<void> => {
    if (result.createdAt <= this.lastPurge(key)) return;
    await this.store.set(key, result, usableUntil);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    this.note(scope);
    await this.store.purge(scope);
  };

  /** Remembers a purge, whoever made it; one by a fast clock is over now, and not when that clock says. */
  note({ endpointId, hash, createdUntil }: PurgeScope): void {
    if (createdUntil === undefined) return;
    const scope = hash ?? endpointId ?? '';
    const latest = this.clock().getTime() + MAX_CLOCK_SKEW_MS;
    this.purgedAt.set(scope, Math.max(Math.min(createdUntil, latest), this.lastPurgeOf(scope)));
  }

  private lastPurge({ endpointId, hash }: EntryName): number {
    return Math.max(this.lastPurgeOf(''), this.lastPurgeOf(endpointId), this.lastPurgeOf(hash));
  }

  /** One that was noted before the clock was set back would keep out what is created until the clock is there again. */
  private lastPurgeOf(scope: string): number {
    const purgedAt = this.purgedAt.get(scope);
    return purgedAt === undefined ? 0 : unlessFromFuture(purgedAt, this.clock().getTime());
  }
}
