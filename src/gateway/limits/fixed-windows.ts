import { LRUCache } from 'lru-cache';

import type { StoreWindow } from './shared-limits.js';

/** The count of a running window. */
export interface WindowCount {
  readonly count: number;
  /** Milliseconds on the process's clock. */
  readonly endsAt: number;
}

/** How fast a caller spends units, and so the size of a lease. The pace outlasts the window. */
export interface Pace {
  /** Requests since `since`, and requests in the lease time (LEASE_MS) before it. */
  used: number;
  usedBefore: number;
  since: number;
}

/**
 * A window of a limit as this gateway knows it: what it spent, how much of that the shared store has counted, and what
 * others spent. What the gateway spent is never forgotten before the window ends, whatever the store replies.
 */
export class Window implements WindowCount {
  spent = 0;
  /** Units of this gateway in the store: more than `spent` while it holds a lease, less while it owes units. */
  paid = 0;
  /** Units of other gateways in the store, by its last reply. */
  others = 0;
  /** Whether the store answered the last demand. */
  isAnswered = false;
  /** The store's clock minus the clock of the windows; undefined before the first reply. */
  storeAhead: number | undefined;
  /** The running payment of owed units or refill of the lease; undefined while none runs. */
  settling: Promise<void> | undefined;

  constructor(
    public endsAt: number,
    readonly pace: Pace,
  ) {}

  get count(): number {
    return this.others + this.spent;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.paid === 0;
  }

  /** Units that are spent and not yet counted in the store; negative: units of the lease. */
  get owed(): number {
    return this.spent - this.paid;
  }

  /** Applies a reply of the store, whose count includes `paid` more units of this gateway. */
  learn({ count }: StoreWindow, endsAt: number, paid: number): void {
    // A store that counts less has lost units, so that this gateway owes them again.
    this.paid = Math.min(this.paid + paid, count);
    this.others = count - this.paid;
    this.endsAt = Math.min(this.endsAt, endsAt);
  }
}

/** Maximum number of windows: token subjects are unbounded. */
const MAX_WINDOWS = 50_000;

/** The windows of limits, in the memory of the process. A window starts with its first unit. */
export class FixedWindows {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_WINDOWS });

  /** @param now monotonic milliseconds. */
  constructor(private readonly now: () => number) {}

  /** The running window of a limit; undefined where none has started. Unlike {@link running}, it changes nothing. */
  find(name: string): Window | undefined {
    const known = this.windows.peek(name);
    return known && !known.isEmpty && known.endsAt > this.now() ? known : undefined;
  }

  /** The running window of a limit, or an empty one that starts now. */
  running({ name, window: seconds }: { readonly name: string; readonly window: number }): Window {
    const now = this.now();
    const endsAt = now + seconds * 1000;
    const known = this.windows.get(name);
    if (known?.isEmpty) known.endsAt = endsAt;
    if (known && known.endsAt > now) return known;
    const window = new Window(endsAt, known?.pace ?? { used: 0, usedBefore: 0, since: now });
    this.windows.set(name, window);
    return window;
  }
}
