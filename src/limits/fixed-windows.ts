import { LRUCache } from 'lru-cache';

/** The count of a running window. */
export interface WindowCount {
  readonly count: number;
  /** Milliseconds on the process's clock. */
  readonly endsAt: number;
}

/** Maximum number of windows: token subjects are unbounded. */
const MAX_WINDOWS = 50_000;

/** Counts over fixed windows in the memory of the process. A window starts with its first counted unit. */
export class FixedWindows {
  private readonly windows: LRUCache<string, WindowCount>;

  /** @param now monotonic milliseconds. */
  constructor(
    private readonly now: () => number,
    max = MAX_WINDOWS,
  ) {
    this.windows = new LRUCache({ max });
  }

  /** Number of stored windows. */
  get size(): number {
    return this.windows.size;
  }

  /** The running window, or an empty one that would start now. */
  peek(name: string, windowSeconds: number): WindowCount {
    const now = this.now();
    const window = this.windows.get(name);
    return window && window.endsAt > now ? window : { count: 0, endsAt: now + windowSeconds * 1000 };
  }

  /** Adds to a window and returns it. */
  add(name: string, amount: number, windowSeconds: number): WindowCount {
    const { count, endsAt } = this.peek(name, windowSeconds);
    const window = { count: Math.max(0, count + amount), endsAt };
    this.windows.set(name, window);
    return window;
  }

  /** Replaces a window with the count of the shared store. */
  set(name: string, count: number, msLeft: number): WindowCount {
    const window = { count, endsAt: this.now() + msLeft };
    this.windows.set(name, window);
    return window;
  }
}
