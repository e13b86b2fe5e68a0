const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/** Something that has revisions, and who is notified of them. */
export interface Followed<State extends { readonly revision: string }> {
  /** Resolves when the revision is another one than `after`, or after a while; at once where `after` is empty. */
  readonly fetch: (after: string, signal: AbortSignal) => Promise<State>;
  readonly onState: (state: State) => void;
  /** Called with false while requests fail. */
  readonly onReachable: (isReachable: boolean) => void;
  /** Called where no request will be sent again. */
  readonly onEnd: (error: unknown) => void;
  /** Whether an error means that no later request can succeed. */
  readonly isFinal: (error: unknown) => boolean;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Follows the revisions of something by long polling: one request at a time, with growing pauses while requests fail. If the
 * first request fails, there is nothing to follow.
 */
export class Follower<State extends { readonly revision: string }> {
  private after = '';
  private hasEnded = false;
  private current: AbortController | undefined;

  constructor(private readonly followed: Followed<State>) {}

  /** Begins, or goes on after `stop`. */
  start(): void {
    if (this.current || this.hasEnded) return;
    this.current = new AbortController();
    void this.follow(this.current.signal);
  }

  /** Aborts the current request. */
  stop(): void {
    this.current?.abort();
    this.current = undefined;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ;) {
      const outcome = await this.next(signal).catch((error: unknown) => ({ error }));
      if (signal.aborted) return;
      if (!outcome) {
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      if (this.after === '' || this.followed.isFinal(outcome.error)) {
        this.hasEnded = true;
        this.followed.onEnd(outcome.error);
        return;
      }
      this.followed.onReachable(false);
      await this.followed.pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  private async next(signal: AbortSignal): Promise<void> {
    const state = await this.followed.fetch(this.after, signal);
    if (signal.aborted) return;
    this.followed.onReachable(true);
    if (state.revision === this.after) return;
    this.after = state.revision;
    this.followed.onState(state);
  }
}
