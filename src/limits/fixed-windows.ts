import { LRUCache } from 'lru-cache';

/** What was counted in a window that runs. */
export interface WindowCount {
  readonly count: number;
  /** Milliseconds on the clock of the process. */
  readonly endsAt: number;
}

/** Windows that are remembered; a caller can be the subject of a token, and of those there is no end. */
const MAX_WINDOWS = 50_000;

/** Counts over fixed windows in the process's memory. A window begins with the first that is counted in it. */
export class FixedWindows {
  private readonly windows: LRUCache<string, WindowCount>;

  /** @param now milliseconds, never going back. */
  constructor(
    private readonly now: () => number,
    max = MAX_WINDOWS,
  ) {
    this.windows = new LRUCache({ max });
  }

  /** Windows that are remembered. */
  get size(): number {
    return this.windows.size;
  }

  /** What a window holds; where none runs, nothing, until a new one would end. */
  peek(name: string, windowSeconds: number): WindowCount {
    const now = this.now();
    const window = this.windows.get(name);
    return window && window.endsAt > now ? window : { count: 0, endsAt: now + windowSeconds * 1000 };
  }

  /** Counts, and gives what the window holds then. */
  add(name: string, amount: number, windowSeconds: number): WindowCount {
    const { count, endsAt } = this.peek(name, windowSeconds);
    const window = { count: Math.max(0, count + amount), endsAt };
    this.windows.set(name, window);
    return window;
  }

  /** Puts what is known better elsewhere. */
  set(name: string, count: number, msLeft: number): WindowCount {
    const window = { count, endsAt: this.now() + msLeft };
    this.windows.set(name, window);
    return window;
  }
}
