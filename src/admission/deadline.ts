import { Failure } from '../errors.js';
import { LinkedAbort } from '../execution/linked-abort.js';
import { setRealTimer, type SetTimer } from './timers.js';

/** Whole seconds, of no more digits than any deadline needs. */
const SECONDS = /^\d{1,9}$/;
/** The longest that a timer of Node's can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Seconds that a caller is willing to wait, by its `Prefer` header (RFC 7240); undefined where that says nothing that
 * can be used. Of several the first counts; parameters after a semicolon are passed over.
 */
export function preferredWait(header: string | undefined): number | undefined {
  for (const preference of header?.split(',') ?? []) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    if (name.trim().toLowerCase() !== 'wait') continue;
    const seconds = value.trim().replace(/^"(.*)"$/, '$1');
    return SECONDS.test(seconds) ? Number(seconds) : undefined;
  }
  return undefined;
}

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
