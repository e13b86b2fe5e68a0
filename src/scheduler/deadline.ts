import { Failure } from '../errors.js';
import { LinkedAbort } from '../query/linked-abort.js';
import { setRealTimer, type SetTimer } from './timers.js';

/** The longest that a timer of Node's can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A signal with a deadline. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** To be called when there is nothing to wait for any more. */
  readonly end: () => void;
}

/**
 * Aborted when the caller's signal is, with its reason, or after so many seconds, with Failure WAIT_OVER.
 *
 * @param signal of the caller.
 */
export function withDeadline(
  signal: AbortSignal,
  seconds: number,
  setTimer: SetTimer = setRealTimer,
): Deadline {
  const bound = new LinkedAbort(signal);
  const cancel = setTimer(
    () => {
      bound.abort(
        new Failure('WAIT_OVER', `There was no answer within the ${seconds} seconds that were asked for.`),
      );
    },
    Math.min(seconds * 1000, MAX_TIMER_MS),
  );
  const end = (): void => {
    cancel();
    bound.end();
  };
  return { signal: bound.signal, end };
}
