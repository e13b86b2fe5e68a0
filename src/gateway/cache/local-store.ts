import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../query/cache-key.js';
import {
  COMPRESSED,
  isFresh,
  sizeOf,
  usableFrom,
  type Bodies,
  type EndpointResult,
  type PendingEncodings,
} from '../query/endpoint-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';

/** Measured memory of an entry besides its bodies, in bytes: key, metadata, buffer objects, and the bookkeeping of the cache. */
const ENTRY_OVERHEAD_BYTES = 2048;

interface Entry {
  readonly endpointId: string;
  readonly result: EndpointResult;
  readonly usableFrom: number;
  readonly usableUntil: number;
}

/** Memory that cached results use. `bytes` counts the bodies only. */
export interface MemoryUse {
  readonly entries: number;
  readonly bytes: number;
}

/** The local cache: results in the memory of the process. When full, it evicts the least recently used result. */
export class LocalStore implements ResultStore {
  private readonly entries: LRUCache<string, Entry>;
  /** Maximum size of a result's bodies that the cache can hold, in bytes. */
  readonly maxEntryBytes: number;

  /**
   * @param maxBytes maximum size of all entries together.
   * @param onEvicted called for each evicted entry.
   */
  constructor(
    maxBytes: number,
    private readonly clock: Clock,
    onEvicted: () => void = () => undefined,
  ) {
    this.maxEntryBytes = maxBytes - ENTRY_OVERHEAD_BYTES;
    this.entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ result }) => sizeOf(result) + ENTRY_OVERHEAD_BYTES,
      dispose: (_entry, _hash, reason) => {
        if (reason === 'evict') onEvicted();
      },
    });
  }

  /**
   * Synchronous form of {@link get}, which makes a hit cheap. Counts as a use of the result.
   *
   * @param now milliseconds since 1970
   */
  find(hash: string, now = this.clock().getTime()): EndpointResult | undefined {
    const entry = this.entries.get(hash);
    if (!entry) return undefined;
    if (now >= entry.usableFrom && now < entry.usableUntil) return entry.result;
    this.entries.delete(hash);
    return undefined;
  }

  /** Whether a result is fresh by the clock of this store. */
  isFresh(result: EndpointResult): boolean {
    return isFresh(result, this.clock().getTime());
  }

  readonly get = (key: CacheKey): Promise<EndpointResult | undefined> => Promise.resolve(this.find(key.hash));

  /** Stores a result unless a newer one is cached. A result from the future never counts as newer. */
  readonly set = (key: CacheKey, result: EndpointResult, usableUntil: number): Promise<void> => {
    const cached = this.find(key.hash);
    if (cached && cached.createdAt > result.createdAt) return Promise.resolve();
    const { endpointId, cachingMs } = key;
    const before = this.entries.peek(key.hash)?.result.bodies;
    this.entries.set(key.hash, {
      endpointId,
      result,
      usableFrom: usableFrom(result, cachingMs),
      usableUntil,
    });
    if (result.bodies.pending) this.follow(key.hash, result.bodies.pending, before);
    return Promise.resolve();
  };

  /**
   * Adds encodings to an entry when they are ready: those that callers ask for, and soon those that the earlier result of this key had.
   * An entry that was removed or replaced meanwhile gets none.
   */
  private follow(hash: string, pending: PendingEncodings, before: Bodies | undefined): void {
    pending.follow((bodies) => {
      const entry = this.entries.peek(hash);
      if (entry?.result.bodies.pending !== pending) return;
      // The cache would remove an entry that is too large. Without the encodings the entry stays, because callers may request parts of it.
      if (sizeOf({ bodies }) > this.maxEntryBytes) return;
      this.entries.set(hash, { ...entry, result: { ...entry.result, bodies } });
    });
    const asked = COMPRESSED.filter((encoding) => before?.[encoding]);
    if (asked.length === 0) return;
    // Compression starts after the response, which is written in this turn of the event loop if it needs no encoding.
    setImmediate(() => {
      for (const encoding of asked) void pending.in(encoding);
    });
  }

  readonly purge = ({ endpointId, hash, createdUntil = Infinity }: PurgeScope): Promise<void> => {
    for (const [entryHash, entry] of this.entries.entries()) {
      const isInScope =
        (hash === undefined || entryHash === hash) &&
        (endpointId === undefined || entry.endpointId === endpointId) &&
        entry.result.createdAt <= createdUntil;
      if (isInScope) this.entries.delete(entryHash);
    }
    return Promise.resolve();
  };

  /** Removes all entries of endpoints that requests can no longer reach, in one pass. @param endpointIds ids */
  drop(endpointIds: ReadonlySet<string>): void {
    if (endpointIds.size === 0) return;
    for (const [hash, { endpointId }] of this.entries.entries()) {
      if (endpointIds.has(endpointId)) this.entries.delete(hash);
    }
  }

  /** Number of entries and their bytes, by endpoint id. */
  memoryUse(): ReadonlyMap<string, MemoryUse> {
    const byEndpoint = new Map<string, MemoryUse>();
    for (const { endpointId, result } of this.entries.values()) {
      const { entries, bytes } = byEndpoint.get(endpointId) ?? { entries: 0, bytes: 0 };
      byEndpoint.set(endpointId, { entries: entries + 1, bytes: bytes + sizeOf(result) });
    }
    return byEndpoint;
  }
}
