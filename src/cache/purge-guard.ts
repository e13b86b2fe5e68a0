import { LRUCache } from 'lru-cache';

import type { Answer } from '../execution/answer.js';
import type { AnswerStore, PurgeScope } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';

/** Purges of single answers that are remembered; older ones have long since no query left that began before them. */
const REMEMBERED = 10_000;

/** Keeps answers out whose query began before a purge of them: it may not have seen what the purge was for. */
export class PurgeGuard implements AnswerStore {
  private readonly purgedAt = new LRUCache<string, number>({ max: REMEMBERED });
  readonly get: AnswerStore['get'];

  constructor(private readonly store: AnswerStore) {
    this.get = store.get;
  }

  readonly set = async (key: CacheKey, answer: Answer, keepUntil: number): Promise<void> => {
    if (answer.bornAt <= this.lastPurge(key)) return;
    await this.store.set(key, answer, keepUntil);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    this.note(scope);
    await this.store.purge(scope);
  };

  /** Remembers a purge, whoever made it. */
  note({ endpointId, hash, bornUntil }: PurgeScope): void {
    if (bornUntil !== undefined) this.purgedAt.set(hash ?? endpointId ?? '', bornUntil);
  }

  private lastPurge({ endpointId, hash }: CacheKey): number {
    return Math.max(...['', endpointId, hash].map((scope) => this.purgedAt.get(scope) ?? 0));
  }
}
