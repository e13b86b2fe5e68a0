import type { Requester, CallerObserver, Priority, WaitingCaller } from './ports.js';

/** Requester of calls without a lane of their own. */
export const ANONYMOUS_REQUESTER: Requester = { lane: '', priority: 'interactive' };

/**
 * All callers of one shared query as one requester. Lane and limits are those of the leader, because the query counts once. The priority is
 * the best among the waiting callers, so that a follower can raise a queued query.
 */
export class SharedRequester implements Requester {
  private readonly callers = new Set<WaitingCaller>();
  private readonly observers = new Set<CallerObserver>();

  /** @param leader requester that started the query. */
  constructor(private readonly leader: Requester) {}

  get lane(): string {
    return this.leader.lane;
  }

  get priority(): Priority {
    for (const { requester } of this.callers) if (requester.priority === 'interactive') return 'interactive';
    return this.callers.size === 0 ? this.leader.priority : 'warming';
  }

  get admitQuery(): Requester['admitQuery'] {
    return this.leader.admitQuery;
  }

  /** Number of waiting callers. */
  get size(): number {
    return this.callers.size;
  }

  add(caller: WaitingCaller): void {
    this.callers.add(caller);
    for (const observer of this.observers) observer.joined(caller);
  }

  remove(caller: WaitingCaller): void {
    this.callers.delete(caller);
    for (const observer of this.observers) observer.left(caller);
  }

  readonly observeCallers = (observer: CallerObserver): (() => void) => {
    for (const caller of this.callers) observer.joined(caller);
    this.observers.add(observer);
    return () => {
      this.observers.delete(observer);
    };
  };
}
