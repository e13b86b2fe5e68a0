/** A refresh that takes longer than this, a tick of the worker, is slow; milliseconds. */
const SLOW_MS = 1000;

interface Running {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly isSlow: boolean;
  readonly end: Promise<void>;
}

/** Whether a refresh that took, or is expected to take, so many milliseconds is slow; one of which nothing is known may be. */
export function isSlow(milliseconds: number | undefined): boolean {
  return milliseconds === undefined || milliseconds > SLOW_MS;
}

/**
 * The refreshes that run: so many at a time, and of each set one. Where there are several slots, the last free one is left
 * to sets that are quick, so that the slow ones never take them all.
 */
export class RefreshSlots {
  private readonly running = new Map<string, Running>();

  /** @param now milliseconds since 1970. */
  constructor(
    private readonly slots: number,
    private readonly now: () => number,
  ) {}

  has(hash: string): boolean {
    return this.running.has(hash);
  }

  /** Whether a refresh of a set may start now. */
  admits(hash: string, slow: boolean): boolean {
    if (this.running.size >= this.slots || this.running.has(hash)) return false;
    return !slow || this.slots === 1 || this.slowRunning < this.slots - 1;
  }

  /** Starts a refresh, which must not reject; `onEnd` is called when its slot is free again. */
  run(hash: string, slow: boolean, refresh: () => Promise<void>, onEnd: () => void): void {
    const end = refresh().then(() => {
      this.running.delete(hash);
      onEnd();
    });
    this.running.set(hash, { startedAt: this.now(), isSlow: slow, end });
  }

  /** Resolves when any of the refreshes ends; undefined where none runs. */
  get nextEnd(): Promise<void> | undefined {
    if (this.running.size === 0) return undefined;
    return Promise.race([...this.running.values()].map(({ end }) => end));
  }

  private get slowRunning(): number {
    const now = this.now();
    const slow = [...this.running.values()].filter((one) => one.isSlow || isSlow(now - one.startedAt));
    return slow.length;
  }
}
