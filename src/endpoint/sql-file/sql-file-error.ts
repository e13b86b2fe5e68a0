import type { SelectProblem } from './select/select-text.js';

/** The mistakes of a `.sql` endpoint file, each with its place in the file. */
export class SqlFileError extends Error {
  override readonly name = 'SqlFileError';

  constructor(readonly problems: readonly SelectProblem[]) {
    super(problems.map(({ problem }) => problem).join('\n'));
  }
}
