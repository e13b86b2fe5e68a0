import { BatchFailure, InputFailure, LoadError } from './load-error.js';
import type { Tally } from './tally.js';

/** The error that ends a load, saying how far it came; what is no failure of the load is handed back as it is. */
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
    const doubt = ` Rows of the lines ${tally.nextLine} to ${error.lastLine} may have been written already.`;
    return fail(
      `${error.message}. ${loaded}; go on from line ${tally.nextLine}.${error.inDoubt ? doubt : ''}`,
    );
  }
  return error;
}
