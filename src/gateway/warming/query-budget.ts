import type { Clock } from '../query/ports.js';

/** Seconds of wall time whose share can be spent at once. */
const WINDOW_SECONDS = 300;

/** Limits the time spent on queries to a share of wall time. Unspent time accumulates, up to that of five minutes. */
export class QueryBudget {
  private allowanceMs: number;
  private filledAt: number;

  /** @param share share of wall time, such as 0.1; above 1 if queries run in parallel. */
  constructor(
    private readonly share: number,
    private readonly clock: Clock,
  ) {
    this.allowanceMs = this.capMs;
    this.filledAt = clock().getTime();
  }

  /** Whether a query may start. A query can overdraw the budget, because its cost is unknown beforehand. */
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
    // A clock that was set back neither adds nor removes allowance.
    const passedMs = Math.max(0, now - this.filledAt);
    this.allowanceMs = Math.min(this.capMs, this.allowanceMs + passedMs * this.share);
    this.filledAt = now;
  }
}
