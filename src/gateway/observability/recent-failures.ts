/** A failed request in the admin API: without addresses and secrets. */
export interface RecentFailure extends ReportedFailure {
  /** Time of the failure in ISO 8601. */
  readonly time: string;
}

/** A request that failed, for the operator. */
export interface ReportedFailure {
  readonly requestId: string;
  readonly endpoint: string | undefined;
  readonly status: number;
  readonly code: string;
  /** The name of the key. */
  readonly key: string | undefined;
  readonly diagnosis: string | undefined;
  /** Full text of the cause, such as ClickHouse's message. It can contain values of the request. */
  readonly cause: string | undefined;
}

const MAX_FAILURES = 100;

/**
 * The most recent failures of this gateway. Faults (5xx) and rejections have separate lists, so that a flood of
 * rejections does not displace faults.
 */
export class RecentFailures {
  private readonly faults: RecentFailure[] = [];
  private readonly rejections: RecentFailure[] = [];

  note(failure: RecentFailure): void {
    const failures = failure.status >= 500 ? this.faults : this.rejections;
    failures.push(failure);
    if (failures.length > MAX_FAILURES) failures.shift();
  }

  /** All failures, newest first. */
  all(): readonly RecentFailure[] {
    return [...this.faults, ...this.rejections].sort((left, right) => (left.time < right.time ? 1 : -1));
  }
}
