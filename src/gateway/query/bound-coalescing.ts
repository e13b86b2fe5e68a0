import { Failure } from '../errors.js';
import type { CoalesceAcrossGateways } from './fetch-result.js';
import { LinkedAbort } from './signal.js';

/**
 * Adds one time limit to coalescing. The limit covers the wait for another gateway's query, and the query that this gateway may run after
 * that wait. So both together cannot take twice the time.
 *
 * @throws Failure QUERY_TIMEOUT after `maxMs` milliseconds.
 */
export function boundCoalescing(coalesce: CoalesceAcrossGateways, maxMs: number): CoalesceAcrossGateways {
  return async (key, signal, ...rest) => {
    const linked = new LinkedAbort(signal).after(maxMs, () => timedOut(maxMs));
    try {
      return await coalesce(key, linked, ...rest);
    } catch (error) {
      // An aborted operation throws its own error instead of the signal's reason.
      throw linked.aborted && !signal.aborted ? linked.reason : error;
    } finally {
      linked.end();
    }
  };
}

const timedOut = (ms: number): Failure =>
  new Failure(
    'QUERY_TIMEOUT',
    `An identical query was already running, and no result arrived within ${ms / 1000} seconds. Try again.`,
  );
