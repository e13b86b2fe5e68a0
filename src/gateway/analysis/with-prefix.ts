import type { FileProblem } from '../../endpoint/file-problems.js';

/** The problem with a text before what is wrong, such as where it was found. */
export function withPrefix(prefix: string, problem: FileProblem): FileProblem {
  return { ...problem, problem: `${prefix}: ${problem.problem}` };
}
