import { textOfProblem, type FileProblem } from '../endpoint/file-problems.js';

/** Something that makes a check fail; its excerpt is the SQL with carets, or hints. */
export type Problem = FileProblem;

/** A problem as text for people: its place, what is wrong, and the excerpt below. */
export const problemText = textOfProblem;

/** The problem with a text before what is wrong, such as where it was found. */
export function withPrefix(prefix: string, problem: Problem): Problem {
  return { ...problem, problem: `${prefix}: ${problem.problem}` };
}
