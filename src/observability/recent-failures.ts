/** A request that failed, as an operator is told of it: without parameters, addresses or keys. */
export interface RecentFailure {
  /** ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  readonly endpoint: string | undefined;
  readonly status: number;
  readonly code: string;
  /** The name of the key. */
  readonly key: string | undefined;
  /** For the operator alone. */
  readonly diagnosis: string | undefined;
}

const KEPT = 100;

/**
 * The last failures of this gateway. Faults and refusals are kept apart, so that a caller who is refused all the time
 * does not push out what an operator has to see.
 */
export class RecentFailures {
  private readonly faults: RecentFailure[] = [];
  private readonly refusals: RecentFailure[] = [];

  note(failure: RecentFailure): void {
    const kept = failure.status >= 500 ? this.faults : this.refusals;
    kept.push(failure);
    if (kept.length > KEPT) kept.shift();
  }

  /** Newest first. */
  all(): readonly RecentFailure[] {
    return [...this.faults, ...this.refusals].sort((left, right) => (left.time < right.time ? 1 : -1));
  }
}
