import { ABOUT_LEADER, Failure } from '../errors.js';
import type { Requester, WaitingCaller } from './ports.js';
import { ANONYMOUS_REQUESTER, SharedRequester } from './shared-requester.js';

/** Who joins a flight. */
export interface SingleFlightCaller {
  /** Of this caller alone. */
  readonly signal: AbortSignal;
  readonly requester?: Requester | undefined;
}

/** What the work of a flight is done with. */
export interface SingleFlightContext {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** All callers that wait, as one. */
  readonly requester: Requester;
}

/** Starts the work of a flight. */
export type SingleFlightWork<T> = (context: SingleFlightContext) => Promise<T>;

/** Work that several callers wait for. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readonly callers: SharedRequester;
}

/**
 * Single flight: callers with the same key who come while work runs wait for the same result, or the same error. One that
 * leaves does not end it for the others; when the last one has left, it is aborted.
 *
 * A follower shares neither the leader's lane nor its rejection: the work sees every caller that waits, and a follower of
 * a leader that was rejected for its own limits or overload retries as itself.
 */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /** Keys of what runs now. */
  get size(): number {
    return this.flights.size;
  }

  /** @param work started only if none of that key runs. */
  async join(
    key: string,
    caller: SingleFlightCaller,
    work: SingleFlightWork<T>,
  ): Promise<{ readonly value: T; readonly joined: boolean }> {
    for (;;) {
      caller.signal.throwIfAborted();
      const running = this.flights.get(key);
      const wait = new CallerWait(caller);
      const flight = running ?? this.start(key, work, wait);
      if (running) flight.callers.add(wait);
      try {
        return { value: await Promise.race([flight.result, wait.rejection]), joined: running !== undefined };
      } catch (error) {
        if (!running || wait.hasEnded || !isAboutLeader(error)) throw error;
      } finally {
        wait.end();
        flight.callers.remove(wait);
        if (flight.callers.size === 0) this.leave(key, flight);
      }
    }
  }

  private start(key: string, work: SingleFlightWork<T>, leader: CallerWait): Flight<T> {
    const controller = new AbortController();
    const callers = new SharedRequester(leader.requester);
    // Before the work begins, which may ask at once who waits.
    callers.add(leader);
    const result = work({ signal: controller.signal, requester: callers });
    const flight: Flight<T> = { result, controller, callers };
    this.flights.set(key, flight);
    const land = (): void => {
      this.forget(key, flight);
    };
    // Each caller gets the error itself; this one is only about the end.
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

/** The wait of one caller, which ends when it leaves or is rejected by itself. */
class CallerWait implements WaitingCaller {
  readonly requester: Requester;
  readonly rejection: Promise<never>;
  reject!: (reason: Error) => void;
  /** Whether this caller alone left or was rejected. */
  hasEnded = false;
  private readonly leave = (): void => {
    this.reject(this.signal.reason as Error);
  };
  private readonly signal: AbortSignal;

  constructor({ signal, requester = ANONYMOUS_REQUESTER }: SingleFlightCaller) {
    this.requester = requester;
    this.signal = signal;
    this.rejection = new Promise((_resolve, reject) => {
      this.reject = (reason) => {
        this.hasEnded = true;
        reject(reason);
      };
    });
    // Work that starts can reject its leader before anybody waits for this.
    this.rejection.catch(() => undefined);
    signal.addEventListener('abort', this.leave, { once: true });
  }

  end(): void {
    this.signal.removeEventListener('abort', this.leave);
  }
}

/** Whether a failure of the leader says nothing about its followers. */
function isAboutLeader(error: unknown): boolean {
  return error instanceof Failure && ABOUT_LEADER.has(error.code);
}
