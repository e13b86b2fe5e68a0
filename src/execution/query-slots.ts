import type { RunQuery } from './ports.js';

/** A bounded number of queries at a time; the others wait in the order in which they came. */
export class QuerySlots {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly slots: number) {}

  /** Queries that wait for a place. */
  get waiting(): number {
    return this.queue.length;
  }

  /** The same, within the bound; one whose caller leaves while it waits never runs. */
  limit(runQuery: RunQuery): RunQuery {
    return async (request) => {
      request.signal.throwIfAborted();
      if (this.running >= this.slots) await this.place(request.signal);
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
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.queue.splice(this.queue.indexOf(take), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.push(take);
    });
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.running -= 1;
  }
}
