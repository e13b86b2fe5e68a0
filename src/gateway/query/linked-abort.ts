import { Abort, type Signal } from './signal.js';

/**
 * A signal that aborts when another one does, or when {@link abort} is called. Unlike `AbortSignal.any` with a
 * timeout signal, whose result stays in memory until the timeout, it releases everything at {@link end}.
 */
export class LinkedAbort extends Abort {
  private readonly follow = (): void => {
    this.abort(this.outer.reason as Error);
  };

  constructor(private readonly outer: Signal) {
    super();
    if (outer.aborted) this.follow();
    else outer.addEventListener('abort', this.follow, { once: true });
  }

  /** Stops following the other signal; to be called when the work has ended. */
  end(): void {
    this.outer.removeEventListener('abort', this.follow);
  }
}
