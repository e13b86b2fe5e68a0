import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { CacheKey } from '../../query/cache-key.js';
import { EVERY_ROW, type RowScope } from '../../query/row-scope.js';
import type { ReadCall } from './read-call.js';

/** The call that a request target means, and the cache key of its query. */
export interface KnownTarget {
  readonly call: ReadCall;
  readonly key: CacheKey;
}

/** Approximate bytes of all entries together. */
const MAX_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 500;
const MAX_TARGET_LENGTH = 2048;

/**
 * Request targets that were validated before, so that a dashboard's repeated requests are not decoded and validated again.
 * The query of a target depends only on its text and on the parameters that the caller's key pins.
 */
export class KnownTargets {
  private readonly targets = new LRUCache<string, KnownTarget>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_known, target) => ENTRY_BYTES + 3 * target.length,
  });

  /** @param isCurrent whether an endpoint is still served: false once a reload has replaced it. */
  constructor(private readonly isCurrent: (endpoint: Endpoint) => boolean) {}

  /**
   * @param scope row scope of the caller; it is part of the query.
   * @param now milliseconds since 1970. The query of a target with a relative time changes after a while.
   */
  find(scope: RowScope, target: string, now: number): KnownTarget | undefined {
    if (target.length > MAX_TARGET_LENGTH) return undefined;
    const known = this.targets.get(nameOf(scope, target));
    if (!known || (known.call.query.changesAt ?? Infinity) <= now) return undefined;
    return this.isCurrent(known.call.query.endpoint) ? known : undefined;
  }

  learn(scope: RowScope, target: string, known: KnownTarget): void {
    const name = nameOf(scope, target);
    if (name.length <= MAX_TARGET_LENGTH) this.targets.set(name, known);
  }
}

/** The key of an entry. It is unambiguous: a target begins with a slash, and a scope that is not empty with a bracket. */
function nameOf(scope: RowScope, target: string): string {
  return scope === EVERY_ROW ? target : `${scope} ${target}`;
}
