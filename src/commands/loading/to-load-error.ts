import { BatchFailure, InputFailure, LoadError } from './load-error.js';
import type { Tally } from './tally.js';

/** Adds the progress of the load to an InputFailure or a BatchFailure; returns any other error unchanged. */
export function toLoadError(error: unknown, source: string, tally: Tally): unknown {
  const report = tally.report();
  const loaded = report.loaded === 0 ? 'Nothing was loaded' : `${report.loaded} lines were loaded`;
  const fail = (message: string): LoadError =>
    new LoadError(message, { report, resumeFromLine: tally.nextLine, cause: error });
  if (error instanceof InputFailure) {
    const name = source === '-' ? 'standard input' : source;
    return fail(`${name}: ${error.message}, after line ${tally.nextLine - 1}. ${loaded}.`);
  }
  if (error instanceof BatchFailure) {
    const doubt = ` Rows of lines ${tally.nextLine} to ${error.lastLine} may already have been written.`;
    return fail(
      `${error.message}. ${loaded}; resume from line ${tally.nextLine}.${error.inDoubt ? doubt : ''}`,
    );
  }
  return error;
}
