import { LRUCache } from 'lru-cache';

import { isFresh, sizeOf, usableFrom, type Answer } from '../query/endpoint-result.js';
import type { AnswerStore, PurgeScope } from '../query/result-store.js';
import type { CacheKey } from '../query/cache-key.js';
import type { Clock } from '../query/ports.js';

/** What an entry costs beside its bodies, measured: key, facts, question, buffers, and the cache's own bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 2048;

interface Entry {
  readonly endpointId: string;
  readonly answer: Answer;
  readonly usableFrom: number;
  readonly keepUntil: number;
}

/** What the process keeps, in figures. */
export interface MemoryUse {
  readonly entries: number;
  readonly bytes: number;
}

/** Answers in the process: the least recently used go first when the bytes are used up. */
export class MemoryStore implements AnswerStore {
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
      sizeCalculation: ({ answer }) => sizeOf(answer) + ENTRY_OVERHEAD_BYTES,
      dispose: (_entry, _hash, reason) => {
        if (reason === 'evict') onEvicted();
      },
    });
  }

  /** The same as {@link get}, at once: what makes a hit cheap. */
  peek(hash: string): Answer | undefined {
    const entry = this.entries.get(hash);
    if (!entry) return undefined;
    const now = this.clock().getTime();
    if (now >= entry.usableFrom && now < entry.keepUntil) return entry.answer;
    this.entries.delete(hash);
    return undefined;
  }

  /** Whether an answer is fresh by the clock of this store. */
  isFresh(answer: Answer): boolean {
    return isFresh(answer, this.clock().getTime());
  }

  readonly get = (key: CacheKey): Promise<Answer | undefined> => Promise.resolve(this.peek(key.hash));

  /** An answer that comes late never replaces a newer one, unless that one is from the future. */
  readonly set = (key: CacheKey, answer: Answer, keepUntil: number): Promise<void> => {
    const kept = this.peek(key.hash);
    if (kept && kept.bornAt > answer.bornAt) return Promise.resolve();
    const { endpointId, cachingMs } = key;
    this.entries.set(key.hash, {
      endpointId,
      answer,
      usableFrom: usableFrom(answer, cachingMs),
      keepUntil,
    });
    return Promise.resolve();
  };

  readonly purge = ({ endpointId, hash, bornUntil = Infinity }: PurgeScope): Promise<void> => {
    for (const [kept, entry] of this.entries.entries()) {
      const meant =
        (hash === undefined || kept === hash) &&
        (endpointId === undefined || entry.endpointId === endpointId) &&
        entry.answer.bornAt <= bornUntil;
      if (meant) this.entries.delete(kept);
    }
    return Promise.resolve();
  };

  /** Entries and bytes, by endpoint id. */
  use(): ReadonlyMap<string, MemoryUse> {
    const byEndpoint = new Map<string, MemoryUse>();
    for (const { endpointId, answer } of this.entries.values()) {
      const { entries, bytes } = byEndpoint.get(endpointId) ?? { entries: 0, bytes: 0 };
      byEndpoint.set(endpointId, { entries: entries + 1, bytes: bytes + sizeOf(answer) });
    }
    return byEndpoint;
  }
}
