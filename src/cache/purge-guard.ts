import { LRUCache } from 'lru-cache';

import type { Answer } from '../query/endpoint-result.js';
import type { AnswerStore, PurgeScope } from '../query/result-store.js';
import type { EntryName, CacheKey } from '../query/cache-key.js';
import { MAX_CLOCK_SKEW_MS, unlessFromFuture } from '../query/clock-skew.js';
import type { Clock } from '../query/ports.js';

/** Purges of single answers that are remembered; older ones have long since no query left that began before them. */
const REMEMBERED = 10_000;

/** Keeps answers out whose query began before a purge of them: it may not have seen what the purge was for. */
export class PurgeGuard implements AnswerStore {
  private readonly purgedAt = new LRUCache<string, number>({ max: REMEMBERED });

  constructor(
    private readonly store: AnswerStore,
    private readonly clock: Clock,
  ) {}

  readonly get = async (key: CacheKey): Promise<Answer | undefined> => {
    const answer = await this.store.get(key);
    const purgedAt = this.lastPurge(key);
    if (!answer || answer.bornAt > purgedAt) return answer;
    // Redis was away at that time, or the answer was on its way from there.
    await this.store.purge({ ...key, bornUntil: purgedAt });
    return undefined;
  };

  readonly set = async (key: CacheKey, answer: Answer, keepUntil: number): Promise<void> => {
    if (answer.bornAt <= this.lastPurge(key)) return;
    await this.store.set(key, answer, keepUntil);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    this.note(scope);
    await this.store.purge(scope);
  };

  /** Remembers a purge, whoever made it; one by a fast clock is over now, and not when that clock says. */
  note({ endpointId, hash, bornUntil }: PurgeScope): void {
    if (bornUntil === undefined) return;
    const scope = hash ?? endpointId ?? '';
    const latest = this.clock().getTime() + MAX_CLOCK_SKEW_MS;
    this.purgedAt.set(scope, Math.max(Math.min(bornUntil, latest), this.lastPurgeOf(scope)));
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
