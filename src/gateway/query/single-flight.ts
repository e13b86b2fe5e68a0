import { ABOUT_LEADER, callerGone, Failure } from '../errors.js';
import type { Requester, WaitingCaller } from './ports.js';
import { ANONYMOUS_REQUESTER, SharedRequester } from './shared-requester.js';
import { Abort, type Signal } from './signal.js';

/** A caller that waits for work. */
export interface SingleFlightCaller {
  /** Aborts the wait of this caller only. */
  readonly signal: Signal;
  readonly requester?: Requester | undefined;
}

/** The context in which work runs. */
export interface SingleFlightContext {
  /** Aborted when no caller waits any more. */
  readonly signal: Signal;
  /** All waiting callers as one requester. */
  readonly requester: Requester;
}

/** Starts work. */
type StartWork<T> = (context: SingleFlightContext) => Promise<T>;

/** Work that several callers wait for. */
interface Work<T> {
  readonly result: Promise<T>;
  readonly abort: Abort;
  readonly callers: SharedRequester;
  hasEnded: boolean;
  /** Number of callers that waited when the work ended. */
  callersAtEnd: number;
}

/**
 * Single flight: callers that request a key while its work runs get the same result, or the same error. The work continues when a caller
 * leaves, and is aborted when the last caller leaves.
 *
 * A follower keeps its own lane, because the work sees every waiting caller. If limits or overload reject the leader, a follower starts the
 * work again with its own requester. A queue that sheds the work rejects each caller separately, so that none starts it again.
 */
export class SingleFlight<T> {
  private readonly running = new Map<string, Work<T>>();

  /**
   * @param work starts only if no work with that key runs.
   * @returns the value, and the number of callers that waited when the work ended, including this one.
   */
  async join(
    key: string,
    caller: SingleFlightCaller,
    work: StartWork<T>,
  ): Promise<{ readonly value: T; readonly joined: boolean; readonly callers: number }> {
    for (;;) {
      caller.signal.throwIfAborted();
      const running = this.running.get(key);
      const wait = new CallerWait(caller);
      const shared = running ?? this.start(key, work, wait);
      if (running) shared.callers.add(wait);
      try {
        const value = await Promise.race([shared.result, wait.rejection]);
        return { value, joined: running !== undefined, callers: shared.callersAtEnd };
      } catch (error) {
        if (!running || wait.hasEnded || !isAboutLeader(error)) throw error;
      } finally {
        wait.end();
        shared.callers.remove(wait);
        if (shared.callers.size === 0) this.leave(key, shared);
      }
    }
  }

  private start(key: string, work: StartWork<T>, leader: CallerWait): Work<T> {
    const abort = new Abort();
    const callers = new SharedRequester(leader.requester);
    // Added before the work starts, because the work may observe the callers at once.
    callers.add(leader);
    const result = work({ signal: abort, requester: callers });
    const shared: Work<T> = { result, abort, callers, hasEnded: false, callersAtEnd: 0 };
    this.running.set(key, shared);
    const forget = (): void => {
      shared.hasEnded = true;
      shared.callersAtEnd = callers.size;
      this.forget(key, shared);
    };
    // Each caller handles a rejection, so it must not count as unhandled here.
    shared.result.then(forget, forget);
    return shared;
  }

  private leave(key: string, shared: Work<T>): void {
    this.forget(key, shared);
    if (!shared.hasEnded) shared.abort.abort(callerGone());
  }

  private forget(key: string, shared: Work<T>): void {
    if (this.running.get(key) === shared) this.running.delete(key);
  }
}

/** Wait of one caller, which ends early when this caller leaves or is rejected alone. */
class CallerWait implements WaitingCaller {
  readonly requester: Requester;
  readonly rejection: Promise<never>;
  reject!: (reason: Error) => void;
  /** Whether this caller left or was rejected alone. */
  hasEnded = false;
  private readonly leave = (): void => {
    this.reject(this.signal.reason as Error);
  };
  private readonly signal: Signal;

  constructor({ signal, requester = ANONYMOUS_REQUESTER }: SingleFlightCaller) {
    this.requester = requester;
    this.signal = signal;
    this.rejection = new Promise((_resolve, reject) => {
      this.reject = (reason) => {
        this.hasEnded = true;
        reject(reason);
      };
    });
    // Work can reject its leader while it starts, before the leader awaits the rejection.
    this.rejection.catch(() => undefined);
    signal.addEventListener('abort', this.leave, { once: true });
  }

  end(): void {
    this.signal.removeEventListener('abort', this.leave);
  }
}

/** Whether a failure concerns the leader only, not its followers. */
function isAboutLeader(error: unknown): boolean {
  return error instanceof Failure && ABOUT_LEADER.has(error.code);
}
