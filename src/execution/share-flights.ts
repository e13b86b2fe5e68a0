/** Work that several callers wait for. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Runs equal work once: callers with the same key who come while it runs wait for the same result, or the same error.
 * One that leaves does not end it for the others; when the last one has left, it is aborted.
 */
export class SharedFlights<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /** Keys of what runs now. */
  get size(): number {
    return this.flights.size;
  }

  /** Whether work of a key runs, which {@link join} would wait for. */
  has(key: string): boolean {
    return this.flights.has(key);
  }

  /**
   * @param signal of this caller alone.
   * @param work started only if none of that key runs; its signal is aborted when nobody waits any more.
   */
  async join(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ readonly value: T; readonly joined: boolean }> {
    signal.throwIfAborted();
    const running = this.flights.get(key);
    const flight = running ?? this.start(key, work);
    flight.waiters += 1;
    try {
      return { value: await untilAborted(flight.result, signal), joined: running !== undefined };
    } finally {
      flight.waiters -= 1;
      if (flight.waiters === 0) this.leave(key, flight);
    }
  }

  private start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: work(controller.signal), controller, waiters: 0 };
    this.flights.set(key, flight);
    const land = (): void => {
      this.forget(key, flight);
    };
    // Each waiter gets the error itself; this one is only about the end.
    flight.result.then(land, land);
    return flight;
  }

  private leave(key: string, flight: Flight<T>): void {
    this.forget(key, flight);
    flight.controller.abort();
  }

  private forget(key: string, flight: Flight<T>): void {
    if (this.flights.get(key) === flight) this.flights.delete(key);
  }
}

async function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
  }
}
