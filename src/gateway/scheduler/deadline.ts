import { Failure } from '../errors.js';
import { LinkedAbort, type SetTimer, type Signal } from '../query/signal.js';

/** Signal of a caller that also aborts with Failure WAIT_OVER, after the seconds that the caller allows. */
export const withDeadline = (signal: Signal, seconds: number, setTimer?: SetTimer): LinkedAbort =>
  new LinkedAbort(signal).after(
    seconds * 1000,
    () => new Failure('WAIT_OVER', `No result within the ${seconds} seconds that the request allows.`),
    setTimer,
  );
