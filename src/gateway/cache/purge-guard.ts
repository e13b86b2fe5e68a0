import { LRUCache } from 'lru-cache';

import type { EntryName } from '../query/cache-key.js';
import { MAX_CLOCK_SKEW_MS, unlessFromFuture } from '../query/clock-skew.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

/**
 * How many purges are remembered. Once a purge is forgotten, results of queries that it overtook, and entries that it could
 * not remove from Redis, are accepted again.
 */
const MAX_PURGES = 10_000;

/** Rejects results whose query started before a purge: such a query may not have seen the new data. */
export class PurgeGuard implements ResultStore {
  private readonly purgedAt = new LRUCache<string, number>({ max: MAX_PURGES });

  constructor(
    private readonly store: ResultStore,
    private readonly clock: Clock,
  ) {}

  readonly get: ResultStore['get'] = async (key, newerThan, lease) => {
    const result = await this.store.get(key, newerThan, lease);
    const purgedAt = this.lastPurge(key);
    if (!result || result.createdAt > purgedAt) return result;
    // Redis was unavailable at the time of the purge, or this read had already started.
    await this.store.purge({ createdUntil: purgedAt, ...key });
    return undefined;
  };

  readonly set: ResultStore['set'] = async (key, result, ...rest) => {
    if (result.createdAt <= this.lastPurge(key)) return;
    await this.store.set(key, result, ...rest);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    this.note(scope);
    await this.store.purge(scope);
  };

  /**
   * Remembers a purge by this or another gateway. Limits its time to now plus the allowed clock skew, in case the clock
   * of the other gateway is fast.
   */
  note({ endpointId, hash, createdUntil }: PurgeScope): void {
    if (createdUntil === undefined) return;
    const scope = hash ?? endpointId ?? '';
    const latest = this.clock().getTime() + MAX_CLOCK_SKEW_MS;
    this.purgedAt.set(scope, Math.max(Math.min(createdUntil, latest), this.lastPurgeOf(scope)));
  }

  private lastPurge({ endpointId, hash }: EntryName): number {
    return Math.max(this.lastPurgeOf(''), this.lastPurgeOf(endpointId), this.lastPurgeOf(hash));
  }

  /** Ignores a purge from before the clock was set back: it would reject every result until the clock catches up. */
  private lastPurgeOf(scope: string): number {
    const purgedAt = this.purgedAt.get(scope);
    return purgedAt === undefined ? 0 : unlessFromFuture(purgedAt, this.clock().getTime());
  }
}
