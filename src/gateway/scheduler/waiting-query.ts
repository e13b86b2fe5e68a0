import { Failure } from '../errors.js';
import type { Requester, Priority, WaitingCaller } from '../query/ports.js';
import type { Lanes } from './lanes.js';

/** Functions and lanes of the queue that a waiting query uses. */
export interface QueueAccess {
  readonly lanes: Readonly<Record<Priority, Lanes<WaitingQuery>>>;
  /** Called when a caller joins the query. */
  readonly onJoined: (query: WaitingQuery, priority: Priority) => void;
  /** Starts the timer that limits a caller's wait. Returns a function that cancels the timer. */
  readonly startTimer: (onTimeout: () => void) => () => void;
}

/** Called once, with the lanes for which the query counts, and with a reason if it gets no slot. */
export type OnWaitEnd = (lanes: readonly string[], reason?: Error) => void;

/**
 * A query that waits for a slot, in the lane of each of its callers. It runs when the first of these lanes is next. Each caller has its own
 * timer, so that a follower may wait as long as it could alone.
 */
export class WaitingQuery {
  /** Number of callers in each lane. */
  private readonly callers: Readonly<Record<Priority, Map<string, number>>> = {
    interactive: new Map(),
    warming: new Map(),
  };
  private readonly cancelTimers = new Map<WaitingCaller, () => void>();
  private stopObserving: (() => void) | undefined;
  private hasEnded = false;

  constructor(
    private readonly queue: QueueAccess,
    private readonly onEnd: OnWaitEnd,
  ) {}

  get isInteractive(): boolean {
    return this.callers.interactive.size > 0;
  }

  /** Lanes for which the query counts: those of interactive callers or, if there are none, those of warming. */
  get lanes(): readonly string[] {
    return [...(this.isInteractive ? this.callers.interactive : this.callers.warming).keys()];
  }

  /** Joins the lanes of all callers, including those that join later. */
  observe(requester: Requester): void {
    if (requester.observeCallers) {
      this.stopObserving = requester.observeCallers({ joined: this.joined, left: this.left });
      return;
    }
    const reject = (reason: Error): void => {
      this.reject(reason);
    };
    this.joined({ requester, reject });
  }

  /** Ends the wait, because the query gets a slot. */
  admit(): void {
    this.end();
  }

  reject(reason: Error): void {
    this.end(reason);
  }

  /**
   * Rejects each caller separately. If the shared query failed instead, each follower would take the failure for the leader's only, and
   * would run the query again.
   */
  shed(): void {
    const reason = gatewayBusy();
    for (const caller of [...this.cancelTimers.keys()]) caller.reject(reason);
    this.reject(reason);
  }

  private readonly joined = (caller: WaitingCaller): void => {
    const { lane, priority } = caller.requester;
    const count = this.callers[priority].get(lane) ?? 0;
    this.callers[priority].set(lane, count + 1);
    if (count === 0) this.queue.lanes[priority].push(lane, this);
    const cancelTimer = this.queue.startTimer(() => {
      caller.reject(gatewayBusy());
    });
    this.cancelTimers.set(caller, cancelTimer);
    this.queue.onJoined(this, priority);
  };

  private readonly left = (caller: WaitingCaller): void => {
    const { lane, priority } = caller.requester;
    this.cancelTimers.get(caller)?.();
    this.cancelTimers.delete(caller);
    const count = (this.callers[priority].get(lane) ?? 0) - 1;
    if (count > 0) this.callers[priority].set(lane, count);
    else {
      this.callers[priority].delete(lane);
      this.queue.lanes[priority].remove(lane, this);
    }
  };

  private end(reason?: Error): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { lanes } = this;
    this.stopObserving?.();
    for (const caller of [...this.cancelTimers.keys()]) this.left(caller);
    this.onEnd(lanes, reason);
  }
}

function gatewayBusy(): Failure {
  return new Failure('GATEWAY_BUSY', 'Too many queries are waiting. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
