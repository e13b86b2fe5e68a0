/** Something that makes a check fail. */
export interface Problem {
  /** What is wrong, without its place. */
  readonly problem: string;
  /** The file with the mistake, as messages name it; absent where the place is not known. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in characters. */
  readonly column?: number;
  /** Lines to show below the problem: the SQL with carets, hints. */
  readonly excerpt?: string;
}

/** A problem as text for people: its place, what is wrong, and the excerpt below. */
export function problemText({ problem, file, line, column, excerpt }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place === '' ? '' : `${place}: `}${problem}${excerpt === undefined ? '' : `\n${excerpt}`}`;
}

/** The problem with a text before what is wrong, such as where it was found. */
export function withPrefix(prefix: string, problem: Problem): Problem {
  return { ...problem, problem: `${prefix}: ${problem.problem}` };
}
