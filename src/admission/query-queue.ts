import { Failure } from '../errors.js';
import type { Asker, Priority, RunQuery } from '../execution/ports.js';
import { Lanes } from './lanes.js';
import { setRealTimer, type SetTimer } from './timers.js';

export interface QueryQueueOptions {
  /** Queries at a time. */
  readonly slots: number;
  /** Queries that may wait for a place. */
  readonly maxWaiting: number;
  /** Milliseconds that one may wait. */
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

interface Waiter {
  readonly lane: string;
  readonly take: () => void;
  readonly refuse: (reason: Failure) => void;
}

const ANYBODY: Asker = { lane: '', priority: 'interactive' };

/**
 * A bounded number of queries at a time; a bounded number of others waits, for a bounded time.
 *
 * Lanes take turns, so that a flood in one lane does not hold up a single query in another. When too many wait, a
 * newcomer takes the place of the newest in the lane that has the most, running and waiting, if that lane still has no
 * fewer than its own afterwards; otherwise it is refused itself. Warming runs only when nobody interactive waits, leaves the last
 * place free (unless there is but one), and is the first to be pushed out.
 */
export class QueryQueue {
  private running = 0;
  private readonly runningIn = new Map<string, number>();
  private readonly waiters: Readonly<Record<Priority, Lanes<Waiter>>> = {
    interactive: new Lanes(),
    warming: new Lanes(),
  };
  private readonly setTimer: SetTimer;

  constructor(private readonly options: QueryQueueOptions) {
    this.setTimer = options.setTimer ?? setRealTimer;
  }

  get figures(): QueueFigures {
    return {
      running: this.running,
      waiting: this.waiting,
      waitingInteractive: this.waiters.interactive.size,
    };
  }

  /**
   * The same, within the bounds; one whose caller leaves while it waits never runs.
   *
   * @throws Failure GATEWAY_BUSY where too many wait, or for too long.
   */
  limit(runQuery: RunQuery): RunQuery {
    return async (request) => {
      const { signal, asker = ANYBODY } = request;
      signal.throwIfAborted();
      const began = performance.now();
      if (this.hasPlaceFor(asker.priority)) this.enter(asker.lane);
      else await this.place(asker, signal);
      try {
        const waitedMs = performance.now() - began;
        return { ...(await runQuery(request)), waitedMs };
      } finally {
        this.leave(asker.lane);
      }
    };
  }

  private get waiting(): number {
    return this.waiters.interactive.size + this.waiters.warming.size;
  }

  private hasPlaceFor(priority: Priority): boolean {
    const { slots } = this.options;
    const places = priority === 'interactive' || slots === 1 ? slots : slots - 1;
    return this.running < places;
  }

  private enter(lane: string): void {
    this.running += 1;
    this.runningIn.set(lane, (this.runningIn.get(lane) ?? 0) + 1);
  }

  /** A place is handed over, so that nobody who comes later takes it in between. */
  private leave(lane: string): void {
    this.running -= 1;
    const left = (this.runningIn.get(lane) ?? 0) - 1;
    if (left > 0) this.runningIn.set(lane, left);
    else this.runningIn.delete(lane);
    this.next()?.take();
  }

  private next(): Waiter | undefined {
    const { interactive, warming } = this.waiters;
    if (interactive.size > 0) return interactive.shift();
    return this.hasPlaceFor('warming') ? warming.shift() : undefined;
  }

  /** Waits for a place, and enters it. */
  private place({ lane, priority }: Asker, signal: AbortSignal): Promise<void> {
    this.makeRoom(lane, priority);
    const lanes = this.waiters[priority];
    return new Promise((resolve, reject) => {
      const refuse = (reason: Error): void => {
        end();
        lanes.remove(lane, waiter);
        reject(reason);
      };
      const leave = (): void => {
        refuse(signal.reason as Error);
      };
      const waiter: Waiter = {
        lane,
        take: () => {
          end();
          this.enter(lane);
          resolve();
        },
        refuse,
      };
      const cancelTimer = this.setTimer(() => {
        refuse(busy());
      }, this.options.maxWaitMs);
      const end = (): void => {
        cancelTimer();
        signal.removeEventListener('abort', leave);
      };
      signal.addEventListener('abort', leave, { once: true });
      lanes.push(lane, waiter);
    });
  }

  /** @throws Failure where there is none to make. */
  private makeRoom(lane: string, priority: Priority): void {
    if (this.waiting < this.options.maxWaiting) return;
    const victim = priority === 'interactive' ? this.victimFor(lane) : undefined;
    if (!victim) throw busy();
    victim.refuse(busy());
  }

  private victimFor(lane: string): Waiter | undefined {
    const { interactive, warming } = this.waiters;
    const [ofWarming] = warming.lengths();
    if (ofWarming) return warming.newest(ofWarming[0]);
    let longest = { lane, load: this.load(lane) + 1 };
    for (const [other] of interactive.lengths()) {
      const load = this.load(other);
      if (load > longest.load) longest = { lane: other, load };
    }
    return longest.lane === lane ? undefined : interactive.newest(longest.lane);
  }

  /** Queries of a lane that run or wait. */
  private load(lane: string): number {
    return (this.runningIn.get(lane) ?? 0) + this.waiters.interactive.length(lane);
  }
}

function busy(): Failure {
  return new Failure('GATEWAY_BUSY', 'Too many queries wait already. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
