import { Failure } from '../errors.js';
import type { RunQuery } from './ports.js';

export interface QuerySlotsOptions {
  /** Queries at a time. */
  readonly slots: number;
  /** Queries that may wait for a place; one more is refused at once. */
  readonly maxWaiting: number;
  /** Milliseconds that one may wait. */
  readonly maxWaitMs: number;
}

/**
 * A bounded number of queries at a time; a bounded number of others waits, for a bounded time, in the order in which
 * they came.
 */
export class QuerySlots {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly options: QuerySlotsOptions) {}

  /** Queries that wait for a place. */
  get waiting(): number {
    return this.queue.length;
  }

  /**
   * The same, within the bounds; one whose caller leaves while it waits never runs.
   *
   * @throws Failure CLICKHOUSE_BUSY where too many wait, or for too long.
   */
  limit(runQuery: RunQuery): RunQuery {
    return async (request) => {
      request.signal.throwIfAborted();
      if (this.running >= this.options.slots) await this.place(request.signal);
      else this.running += 1;
      try {
        return await runQuery(request);
      } finally {
        this.leave();
      }
    };
  }

  /** A place is handed over, so that nobody who comes later takes it in between. */
  private place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.queue.length >= this.options.maxWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const take = (): void => {
        end();
        resolve();
      };
      const giveUp = (reason: Error): void => {
        end();
        this.queue.splice(this.queue.indexOf(take), 1);
        reject(reason);
      };
      const leave = (): void => {
        giveUp(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        giveUp(busy());
      }, this.options.maxWaitMs);
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(take);
    });
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.running -= 1;
  }
}

function busy(): Failure {
  return new Failure('CLICKHOUSE_BUSY', 'Too many queries wait already. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
