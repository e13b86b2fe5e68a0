import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../execution/cache-key.js';
import type { Question } from '../execution/call.js';

/** A question that a request target was found to ask, and what its answer is kept under. */
export interface KnownTarget {
  readonly question: Question;
  readonly key: CacheKey;
}

/** What the entries may weigh together, in bytes, roughly. */
const MAX_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 500;
const MAX_TARGET_LENGTH = 2048;

/**
 * Request targets whose parameters have been validated before. What a target asks depends on nothing but its text, so
 * that a dashboard that asks it again need not have it read, decoded and validated again.
 */
export class KnownTargets {
  private readonly targets = new LRUCache<string, KnownTarget>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_known, target) => ENTRY_BYTES + 3 * target.length,
  });

  find(target: string): KnownTarget | undefined {
    return this.targets.get(target);
  }

  learn(target: string, known: KnownTarget): void {
    if (target.length <= MAX_TARGET_LENGTH) this.targets.set(target, known);
  }
}
