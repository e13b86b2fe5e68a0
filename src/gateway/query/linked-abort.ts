/**
 * A signal that aborts when another one does, or when {@link abort} is called. Unlike `AbortSignal.any` with a
 * timeout signal, whose result stays in memory until the timeout, it releases everything at {@link end}.
 */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly follow = (): void => {
    this.controller.abort(this.outer.reason);
  };

  constructor(private readonly outer: AbortSignal) {
    if (outer.aborted) this.follow();
    else outer.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Stops following the other signal; to be called when the work has ended. */
  end(): void {
    this.outer.removeEventListener('abort', this.follow);
  }
}
