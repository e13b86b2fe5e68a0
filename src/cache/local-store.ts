import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../query/cache-key.js';
import { isFresh, sizeOf, usableFrom, type EndpointResult } from '../query/endpoint-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

/** What an entry costs beside its bodies, measured: key, facts, question, buffers, and the cache's own bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 2048;

interface Entry {
  readonly endpointId: string;
  readonly result: EndpointResult;
  readonly usableFrom: number;
  readonly usableUntil: number;
}

/** What the process keeps, in figures. */
export interface MemoryUse {
  readonly entries: number;
  readonly bytes: number;
}

/** Answers in the process: the least recently used go first when the bytes are used up. */
export class LocalStore implements ResultStore {
  private readonly entries: LRUCache<string, Entry>;

  /**
   * @param maxBytes bound on all entries together.
   * @param onEvicted told of each entry that had to go for another.
   */
  constructor(
    maxBytes: number,
    private readonly clock: Clock,
    onEvicted: () => void = () => undefined,
  ) {
    this.entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ result }) => sizeOf(result) + ENTRY_OVERHEAD_BYTES,
      dispose: (_entry, _hash, reason) => {
        if (reason === 'evict') onEvicted();
      },
    });
  }

  /** The same as {@link get}, at once: what makes a hit cheap. */
  peek(hash: string): EndpointResult | undefined {
    const entry = this.entries.get(hash);
    if (!entry) return undefined;
    const now = this.clock().getTime();
    if (now >= entry.usableFrom && now < entry.usableUntil) return entry.result;
    this.entries.delete(hash);
    return undefined;
  }

  /** Whether an answer is fresh by the clock of this store. */
  isFresh(result: EndpointResult): boolean {
    return isFresh(result, this.clock().getTime());
  }

  readonly get = (key: CacheKey): Promise<EndpointResult | undefined> => Promise.resolve(this.peek(key.hash));

  /** An answer that comes late never replaces a newer one, unless that one is from the future. */
  readonly set = (key: CacheKey, result: EndpointResult, usableUntil: number): Promise<void> => {
    const cached = this.peek(key.hash);
    if (cached && cached.createdAt > result.createdAt) return Promise.resolve();
    const { endpointId, cachingMs } = key;
    this.entries.set(key.hash, {
      endpointId,
      result,
      usableFrom: usableFrom(result, cachingMs),
      usableUntil,
    });
    return Promise.resolve();
  };

  readonly purge = ({ endpointId, hash, createdUntil = Infinity }: PurgeScope): Promise<void> => {
    for (const [kept, entry] of this.entries.entries()) {
      const meant =
        (hash === undefined || kept === hash) &&
        (endpointId === undefined || entry.endpointId === endpointId) &&
        entry.result.createdAt <= createdUntil;
      if (meant) this.entries.delete(kept);
    }
    return Promise.resolve();
  };

  /** Entries and bytes, by endpoint id. */
  use(): ReadonlyMap<string, MemoryUse> {
    const byEndpoint = new Map<string, MemoryUse>();
    for (const { endpointId, result } of this.entries.values()) {
      const { entries, bytes } = byEndpoint.get(endpointId) ?? { entries: 0, bytes: 0 };
      byEndpoint.set(endpointId, { entries: entries + 1, bytes: bytes + sizeOf(result) });
    }
    return byEndpoint;
  }
}
