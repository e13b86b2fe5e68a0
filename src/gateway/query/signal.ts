/**
 * Shows whether work is still wanted, with the part of AbortSignal that a call uses. Every AbortSignal is a Signal. {@link Abort} is a
 * cheap one: in Node 20 an AbortSignal takes a kilobyte, and V8 makes a new hidden class for each, whose properties are slow to read. A
 * query that is not cached needs five signals.
 */
export interface Signal extends Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> {
  readonly addEventListener: (
    type: 'abort',
    listener: () => void,
    options?: { readonly once?: boolean },
  ) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
}

/** A signal with the function that aborts it. A listener is called once for each time it was added. It must not throw. */
export class Abort implements Signal {
  aborted = false;
  reason: unknown = undefined;
  private listeners: readonly (() => void)[] = [];

  get signal(): Signal {
    return this;
  }

  /** Aborts the signal, unless it is aborted already. */
  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // A listener may remove a later one.
    for (const listener of this.listeners) if (this.listeners.includes(listener)) listener();
    this.listeners = [];
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.listeners = [...this.listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }
}

/** Waits for work. @throws the reason of the signal if that aborts first */
export function unlessAborted<T>(work: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/** Converts the signal to an AbortSignal, which Node's own functions and ClickHouse's client require. */
export function nativeSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const follow = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow);
  return controller.signal;
}

/** Sets a timer. @returns a function that cancels it */
export type SetTimer = (callback: () => void, milliseconds: number) => () => void;

export const setRealTimer: SetTimer = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};

/** Maximum delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that aborts when another one does, after a time, or when {@link abort} is called. It releases everything at {@link end}, whereas
 * the result of `AbortSignal.any` with a timeout signal stays in memory until the timeout.
 */
export class LinkedAbort extends Abort {
  private cancelTimer: (() => void) | undefined;
  private readonly follow = (): void => {
    this.abort(this.outer.reason as Error);
  };

  constructor(private readonly outer: Signal) {
    super();
    if (outer.aborted) this.follow();
    else outer.addEventListener('abort', this.follow, { once: true });
  }

  /** Aborts with a reason after a time. */
  after(milliseconds: number, reason: () => Error, setTimer = setRealTimer): this {
    this.cancelTimer = setTimer(
      () => {
        this.abort(reason());
      },
      Math.min(milliseconds, MAX_TIMER_MS),
    );
    return this;
  }

  /** Stops following the outer signal, and stops the timer. Must be called when the work has ended. */
  end(): void {
    this.cancelTimer?.();
    this.outer.removeEventListener('abort', this.follow);
  }
}
