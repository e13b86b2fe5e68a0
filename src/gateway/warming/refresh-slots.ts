/** Time after which a refresh counts as slow, in milliseconds. It equals the interval of the warmer's ticks. */
const SLOW_MS = 1000;

interface Running {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly isSlow: boolean;
  readonly end: Promise<void>;
}

/** Whether a refresh of this actual or expected duration is slow. An unknown duration counts as slow. */
export function isSlow(milliseconds: number | undefined): boolean {
  return milliseconds === undefined || milliseconds > SLOW_MS;
}

/**
 * Limits the refreshes that run at a time, and runs at most one for each set. If there are several slots, slow refreshes occupy at most all
 * but one of them, so that a fast refresh never waits for slow ones only.
 */
export class RefreshSlots {
  private readonly running = new Map<string, Running>();

  /** @param now milliseconds since 1970. */
  constructor(
    private readonly slots: number,
    private readonly now: () => number,
  ) {}

  isRunning(hash: string): boolean {
    return this.running.has(hash);
  }

  /** Whether a refresh of a set may start now. */
  admits(hash: string, slow: boolean): boolean {
    if (this.running.size >= this.slots || this.running.has(hash)) return false;
    return !slow || this.slots === 1 || this.slowCount < this.slots - 1;
  }

  /** Starts a refresh, which must not reject. Calls `onEnd` when its slot is free again. */
  run(hash: string, slow: boolean, refresh: () => Promise<void>, onEnd: () => void): void {
    const end = refresh().then(() => {
      this.running.delete(hash);
      onEnd();
    });
    this.running.set(hash, { startedAt: this.now(), isSlow: slow, end });
  }

  /** Resolves when any of the refreshes ends. Undefined if none runs. */
  get nextEnd(): Promise<void> | undefined {
    if (this.running.size === 0) return undefined;
    return Promise.race([...this.running.values()].map(({ end }) => end));
  }

  private get slowCount(): number {
    const now = this.now();
    const slow = [...this.running.values()].filter((run) => run.isSlow || isSlow(now - run.startedAt));
    return slow.length;
  }
}
