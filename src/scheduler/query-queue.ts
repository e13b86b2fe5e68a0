import type { SlotRequest, Requester, Priority } from '../query/ports.js';
import { ANONYMOUS_REQUESTER } from '../query/shared-requester.js';
import { Lanes } from './lanes.js';
import { setRealTimer, type SetTimer } from './timers.js';
import { WaitingQuery, type WaitingRoom } from './waiting-query.js';

export interface QueryQueueOptions {
  /** Queries at a time. */
  readonly slots: number;
  /** Queries that may wait for a slot. */
  readonly maxWaiting: number;
  /** Milliseconds that a caller may wait. */
  readonly maxWaitMs: number;
  readonly setTimer?: SetTimer;
}

/** What the queue holds now. */
export interface QueueFigures {
  readonly running: number;
  readonly waiting: number;
  /** Those of them for which a caller waits. */
  readonly waitingInteractive: number;
}

/**
 * A bounded number of queries at a time; a bounded number of others waits, for a bounded time.
 *
 * Lanes take turns, so that a flood in one lane does not slow down a single query in another. A query that callers of
 * several lanes wait for is in all of these lanes: it is served at the first of their turns, counts for each of them,
 * and is interactive if any of its callers is.
 *
 * When too many wait, the newest query of the lane that has the most, running and waiting, is shed; the newcomer itself
 * where no other lane has more than its own. A shared query is as hard to shed as one of its shortest lane. Warming runs
 * only when nobody interactive waits, leaves the last slot free (unless there is but one), and is shed first.
 */
export class QueryQueue {
  private running = 0;
  private readonly runningIn = new Map<string, number>();
  private readonly lanes: Readonly<Record<Priority, Lanes<WaitingQuery>>> = {
    interactive: new Lanes(),
    warming: new Lanes(),
  };
  private readonly waiting = new Set<WaitingQuery>();
  private readonly room: WaitingRoom;

  constructor(private readonly options: QueryQueueOptions) {
    const { maxWaitMs, setTimer = setRealTimer } = options;
    this.room = {
      lanes: this.lanes,
      onJoined: (query, priority) => {
        // A refresh that waits for the slot that warming leaves free can have it once a caller waits for it.
        if (this.hasSlotFor(priority)) query.take();
      },
      startTimer: (onTimeout) => setTimer(onTimeout, maxWaitMs),
    };
  }

  get figures(): QueueFigures {
    return {
      running: this.running,
      waiting: this.waiting.size,
      waitingInteractive: [...this.waiting].filter(({ isInteractive }) => isInteractive).length,
    };
  }

  /**
   * The same, within the bounds; a query whose callers all leave while it waits never runs.
   *
   * @throws Failure GATEWAY_BUSY where too many wait, or for too long.
   */
  limit<R extends SlotRequest, T extends object>(
    run: (request: R) => Promise<T>,
  ): (request: R) => Promise<T & { readonly waitingMs: number }> {
    return async (request) => {
      const { signal, requester = ANONYMOUS_REQUESTER } = request;
      signal.throwIfAborted();
      const began = performance.now();
      const lanes = this.hasSlotFor(requester.priority)
        ? this.enter(lanesOf(requester))
        : await this.wait(requester, signal);
      try {
        const waitingMs = performance.now() - began;
        return { ...(await run(request)), waitingMs };
      } finally {
        this.leave(lanes);
      }
    };
  }

  private hasSlotFor(priority: Priority): boolean {
    const { slots } = this.options;
    const open = priority === 'interactive' || slots === 1 ? slots : slots - 1;
    return this.running < open;
  }

  private enter(lanes: readonly string[]): readonly string[] {
    this.running += 1;
    for (const lane of lanes) this.runningIn.set(lane, (this.runningIn.get(lane) ?? 0) + 1);
    return lanes;
  }

  /** A slot is handed over, so that nobody who comes later takes it in between. */
  private leave(lanes: readonly string[]): void {
    this.running -= 1;
    for (const lane of lanes) {
      const remaining = (this.runningIn.get(lane) ?? 0) - 1;
      if (remaining > 0) this.runningIn.set(lane, remaining);
      else this.runningIn.delete(lane);
    }
    this.next()?.take();
  }

  private next(): WaitingQuery | undefined {
    const { interactive, warming } = this.lanes;
    if (interactive.size > 0) return interactive.shift();
    return this.hasSlotFor('warming') ? warming.shift() : undefined;
  }

  /** Waits for a slot, and enters it. */
  private wait(requester: Requester, signal: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        query.reject(signal.reason as Error);
      };
      const query = new WaitingQuery(this.room, (lanes, reason) => {
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

  /** The query to shed: the newcomer itself, unless one is warming alone, or its lanes have more. */
  private victimFor(newcomer: WaitingQuery): WaitingQuery {
    if (!newcomer.isInteractive) return newcomer;
    for (const [, queries] of this.lanes.warming.all()) {
      const refresh = queries.findLast(({ isInteractive }) => !isInteractive);
      if (refresh) return refresh;
    }
    let most = { query: newcomer, load: this.leastLoad(newcomer) };
    for (const [lane, queries] of this.lanes.interactive.all()) {
      const load = this.load(lane);
      // Ends at the newest that waits in no shorter lane.
      for (let index = queries.length - 1; index >= 0 && load > most.load; index -= 1) {
        const query = queries[index] ?? newcomer;
        const least = this.leastLoad(query);
        if (least > most.load) most = { query, load: least };
      }
    }
    return most.query;
  }

  /** Of its lanes, the one that has the least queries: what a query counts for when one has to be shed. */
  private leastLoad({ lanes }: WaitingQuery): number {
    return Math.min(...lanes.map((lane) => this.load(lane)));
  }

  /** Queries of a lane that run or wait. */
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
