import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../query/cache-key.js';
import type { EndpointQuery } from '../query/call.js';
import { EVERY_ROW, type RowScope } from '../query/row-scope.js';

/** A question that a request target was found to ask, and what its answer is kept under. */
export interface KnownTarget {
  readonly query: EndpointQuery;
  readonly key: CacheKey;
  /** Whether the answer is to be kept as a file. */
  readonly download?: boolean;
}

/** What the entries may weigh together, in bytes, roughly. */
const MAX_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 500;
const MAX_TARGET_LENGTH = 2048;

/**
 * Request targets whose parameters have been validated before. What a target asks depends on nothing but its text and
 * what the caller's key fixes, so
 * that a dashboard that asks it again need not have it read, decoded and validated again.
 */
export class KnownTargets {
  private readonly targets = new LRUCache<string, KnownTarget>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_known, target) => ENTRY_BYTES + 3 * target.length,
  });

  /** @param scope of the caller: what a target asks depends on it too. */
  find(scope: RowScope, target: string): KnownTarget | undefined {
    return target.length > MAX_TARGET_LENGTH ? undefined : this.targets.get(nameOf(scope, target));
  }

  learn(scope: RowScope, target: string, known: KnownTarget): void {
    const name = nameOf(scope, target);
    if (name.length <= MAX_TARGET_LENGTH) this.targets.set(name, known);
  }
}

/** A target begins with a slash, and a scope that is not empty with a bracket. */
function nameOf(scope: RowScope, target: string): string {
  return scope === EVERY_ROW ? target : `${scope} ${target}`;
}
