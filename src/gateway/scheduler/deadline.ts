import { Failure } from '../errors.js';
import { LinkedAbort } from '../query/linked-abort.js';
import type { Signal } from '../query/signal.js';
import { setRealTimer, type SetTimer } from './timers.js';

/** The longest delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A signal that also aborts at a deadline. */
export interface Deadline {
  readonly signal: Signal;
  /** Stops the timer; to be called when the work has ended. */
  readonly end: () => void;
}

/**
 * Links a caller's signal with a deadline. The new signal aborts when the caller's signal aborts, with the same
 * reason, or after `seconds`, with Failure WAIT_OVER.
 */
export function withDeadline(signal: Signal, seconds: number, setTimer: SetTimer = setRealTimer): Deadline {
  const linked = new LinkedAbort(signal);
  const cancel = setTimer(
    () => {
      linked.abort(
        new Failure('WAIT_OVER', `No result within the ${seconds} seconds that the request allows.`),
      );
    },
    Math.min(seconds * 1000, MAX_TIMER_MS),
  );
  const end = (): void => {
    cancel();
    linked.end();
  };
  return { signal: linked.signal, end };
}
