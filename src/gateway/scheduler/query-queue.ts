import type { SlotRequest, Requester, Priority } from '../query/ports.js';
import { ANONYMOUS_REQUESTER } from '../query/shared-requester.js';
import { setRealTimer, type SetTimer, type Signal } from '../query/signal.js';
import { Lanes } from './lanes.js';
import { WaitingQuery, type QueueAccess } from './waiting-query.js';

export interface QueryQueueOptions {
  /** Maximum number of running queries. */
  readonly slots: number;
  /** Maximum number of queries that wait for a slot. */
  readonly maxWaiting: number;
  /** Maximum wait of a caller, in milliseconds. */
  readonly maxWaitMs: number;
  /** Maximum number of running queries of a lane while other lanes wait. Absent: no maximum. */
  readonly maxInLane?: number;
  readonly setTimer?: SetTimer;
}

/** Numbers of running and waiting queries. */
export interface QueueFigures {
  readonly running: number;
  readonly waiting: number;
  /** Number of waiting queries that have an interactive caller. */
  readonly waitingInteractive: number;
}

/**
 * Bounds the running queries, the waiting queries, and their wait.
 *
 * Fair queueing: slots go round robin over the lanes, so that a flood in one lane does not slow down a single query in another. A query
 * that callers of several lanes share is in all of these lanes. It runs when the first of them is next, counts for each of them, and is
 * interactive if any of its callers is.
 *
 * When too many queries wait, the queue sheds the newest query of the longest lane (running and waiting queries). If no other lane is
 * longer than that of the new query, it sheds the new one. A shared query counts for its shortest lane. Warming runs only when no
 * interactive query waits, leaves the last slot free (unless there is only one), and is shed first.
 */
export class QueryQueue {
  private running = 0;
  private readonly runningIn = new Map<string, number>();
  private readonly lanes: Readonly<Record<Priority, Lanes<WaitingQuery>>> = {
    interactive: new Lanes(),
    warming: new Lanes(),
  };
  private readonly waiting = new Set<WaitingQuery>();
  private readonly access: QueueAccess;

  constructor(private readonly options: QueryQueueOptions) {
    const { maxWaitMs, setTimer = setRealTimer } = options;
    this.access = {
      lanes: this.lanes,
      onJoined: (query, priority) => {
        // A queued refresh that an interactive caller joins may take the slot that warming leaves free.
        if (this.hasSlotFor(priority)) query.admit();
      },
      startTimer: (onTimeout) => setTimer(onTimeout, maxWaitMs),
    };
  }

  /** Whether any query runs. */
  get isRunning(): boolean {
    return this.running > 0;
  }

  get figures(): QueueFigures {
    return {
      running: this.running,
      waiting: this.waiting.size,
      waitingInteractive: [...this.waiting].filter(({ isInteractive }) => isInteractive).length,
    };
  }

  /**
   * Runs work in a slot, after a wait if necessary. Work whose callers all leave during the wait never runs.
   *
   * @param work gets the length of its wait, in milliseconds.
   * @returns the result of the work, with `waitingMs` unless the result has its own.
   * @throws Failure GATEWAY_BUSY if too many queries wait, or the wait is too long.
   */
  async run<T extends object>(
    { signal, requester = ANONYMOUS_REQUESTER }: SlotRequest,
    work: (waitingMs: number) => Promise<T>,
  ): Promise<T & { readonly waitingMs: number }> {
    signal.throwIfAborted();
    const startedAt = performance.now();
    const lanes = this.hasSlotFor(requester.priority)
      ? this.enter(lanesOf(requester))
      : await this.wait(requester, signal);
    try {
      const waitingMs = performance.now() - startedAt;
      return { waitingMs, ...(await work(waitingMs)) };
    } finally {
      this.leave(lanes);
    }
  }

  private hasSlotFor(priority: Priority): boolean {
    const { slots } = this.options;
    const usable = priority === 'interactive' || slots === 1 ? slots : slots - 1;
    return this.running < usable;
  }

  private enter(lanes: readonly string[]): readonly string[] {
    this.running += 1;
    for (const lane of lanes) this.runningIn.set(lane, (this.runningIn.get(lane) ?? 0) + 1);
    return lanes;
  }

  /** Gives the slot to the next waiting query at once, so that a new query cannot take it. */
  private leave(lanes: readonly string[]): void {
    this.running -= 1;
    for (const lane of lanes) {
      const remaining = (this.runningIn.get(lane) ?? 0) - 1;
      if (remaining > 0) this.runningIn.set(lane, remaining);
      else this.runningIn.delete(lane);
    }
    if (this.waiting.size > 0) this.next()?.admit();
  }

  private next(): WaitingQuery | undefined {
    const { interactive, warming } = this.lanes;
    const { maxInLane = Infinity } = this.options;
    if (interactive.size > 0)
      return interactive.shift((lane) => (this.runningIn.get(lane) ?? 0) >= maxInLane);
    return this.hasSlotFor('warming') ? warming.shift() : undefined;
  }

  /** Waits for a slot and takes it. */
  private wait(requester: Requester, signal: Signal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        query.reject(signal.reason as Error);
      };
      const query = new WaitingQuery(this.access, (lanes, reason) => {
        signal.removeEventListener('abort', onAbort);
        this.waiting.delete(query);
        if (reason) reject(reason);
        else resolve(this.enter(lanes));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiting.add(query);
      query.observe(requester);
      if (this.waiting.size > this.options.maxWaiting) this.victimFor(query).shed();
    });
  }

  /** Query to shed: one that is only warming, else one whose lanes are all longer, else the new query itself. */
  private victimFor(newcomer: WaitingQuery): WaitingQuery {
    if (!newcomer.isInteractive) return newcomer;
    for (const [, queries] of this.lanes.warming.all()) {
      const refresh = queries.findLast(({ isInteractive }) => !isInteractive);
      if (refresh) return refresh;
    }
    let victim = { query: newcomer, load: this.leastLoad(newcomer) };
    for (const [lane, queries] of this.lanes.interactive.all()) {
      const load = this.load(lane);
      // The loop ends at the newest query that is in no shorter lane.
      for (let index = queries.length - 1; index >= 0 && load > victim.load; index -= 1) {
        const query = queries[index] ?? newcomer;
        const least = this.leastLoad(query);
        if (least > victim.load) victim = { query, load: least };
      }
    }
    return victim.query;
  }

  /** Load of the query's shortest lane. */
  private leastLoad({ lanes }: WaitingQuery): number {
    return Math.min(...lanes.map((lane) => this.load(lane)));
  }

  /** Number of running and waiting queries of a lane. */
  private load(lane: string): number {
    return (this.runningIn.get(lane) ?? 0) + this.lanes.interactive.length(lane);
  }
}

/** Lanes of all callers that wait for a query. */
function lanesOf({ lane, observeCallers }: Requester): readonly string[] {
  if (!observeCallers) return [lane];
  const lanes = new Set<string>();
  const stop = observeCallers({
    joined: ({ requester }) => lanes.add(requester.lane),
    left: () => undefined,
  });
  stop();
  return [...lanes];
}
