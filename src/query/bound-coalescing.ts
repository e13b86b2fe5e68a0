import { Failure } from '../errors.js';
import type { CoalesceAcrossGateways } from './fetch-result.js';
import { LinkedAbort } from './linked-abort.js';

/**
 * The same, over after so many milliseconds: one that waited for another's query in vain has for its own what is left of
 * them, and not a whole queue and a whole query once more.
 *
 * @throws Failure QUERY_TIMEOUT where they are over.
 */
export function boundCoalescing(share: CoalesceAcrossGateways, maxMs: number): CoalesceAcrossGateways {
  return async (key, signal, runQuery, until) => {
    const bound = new LinkedAbort(signal);
    const over = new Failure(
      'QUERY_TIMEOUT',
      `There was no answer within ${maxMs / 1000} seconds; an equal query was waited for. Try again.`,
    );
    const timer = setTimeout(() => {
      bound.abort(over);
    }, maxMs);
    try {
      return await share(key, bound.signal, runQuery, until);
    } catch (error) {
      // What was interrupted says so in words of its own.
      throw bound.signal.reason === over ? over : error;
    } finally {
      clearTimeout(timer);
      bound.end();
    }
  };
}
