import type { Clock } from '../query/ports.js';

/** Seconds of saving that can be spent at once. */
const WINDOW_SECONDS = 300;

/** A share of wall time that may be spent on queries, all together: it fills steadily, up to what five minutes give. */
export class QueryBudget {
  private allowanceMs: number;
  private filledAt: number;

  /** @param share of wall time, such as 0.1; above 1 where queries run side by side. */
  constructor(
    private readonly share: number,
    private readonly clock: Clock,
  ) {
    this.allowanceMs = this.capMs;
    this.filledAt = clock().getTime();
  }

  /** Whether anything is left to spend. A query may overdraw it, since nobody knows its cost before. */
  get isOpen(): boolean {
    this.fill();
    return this.allowanceMs > 0;
  }

  spend(milliseconds: number): void {
    this.fill();
    this.allowanceMs -= milliseconds;
  }

  private get capMs(): number {
    return this.share * WINDOW_SECONDS * 1000;
  }

  private fill(): void {
    const now = this.clock().getTime();
    // A clock that was set back has filled nothing, and taken nothing either.
    const passedMs = Math.max(0, now - this.filledAt);
    this.allowanceMs = Math.min(this.capMs, this.allowanceMs + passedMs * this.share);
    this.filledAt = now;
  }
}
