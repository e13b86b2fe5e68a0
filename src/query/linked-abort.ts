/**
 * A signal that aborts when another one does, or when it is told to. What `AbortSignal.any` gives stays in memory for as
 * long as a timer of its does; this one lets go of everything at {@link end}.
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

  /** To be called when there is nothing to abort any more. */
  end(): void {
    this.outer.removeEventListener('abort', this.follow);
  }
}
