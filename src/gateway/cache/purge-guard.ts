import { LRUCache } from 'lru-cache';

import type { EntryName } from '../query/cache-key.js';
import { MAX_CLOCK_SKEW_MS, unlessFromFuture } from '../query/clock-skew.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

/**
 * Maximum number of purges in memory. After a purge is removed from memory, the guard accepts results of queries that started before it,
 * and entries that it could not remove from Redis.
 */
const MAX_PURGES = 10_000;

/** Rejects results whose query started before a purge, because such a query may not have seen the new data. */
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
   * Remembers a purge by this or another gateway. Its time counts up to now plus the allowed clock skew, in case the other gateway's
   * clock is fast.
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

  /** Time of the last purge of a scope. One from before the clock was set back does not count: it would reject all results for a while. */
  private lastPurgeOf(scope: string): number {
    const purgedAt = this.purgedAt.get(scope);
    return purgedAt === undefined ? 0 : unlessFromFuture(purgedAt, this.clock().getTime());
  }
}
