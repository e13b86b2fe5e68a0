import { EndpointDefinitionError } from '../definition-error.js';
import { excerptOf } from '../excerpt.js';
import { readHeader } from './header.js';
import type { SelectProblem } from './select/select-text.js';
import { SqlFileError } from './sql-file-error.js';
import type { Problem } from '../problems.js';

/** A mistake, and where it is. */
export interface PlacedProblem extends Problem {
  /** Line, from 1. */
  readonly line: number;
  /** Column in characters, from 1. */
  readonly column: number;
  /** The line with carets below the place, indented. */
  readonly excerpt: string;
  readonly unfinished?: NonNullable<SelectProblem['unfinished']>;
}

/** Problems of one file that are described. */
const MAX_PROBLEMS = 100;

/** Describes the mistakes of a `.sql` endpoint file; undefined for an error of another kind. */
export function problemsOfSqlFile(error: unknown, source: string): readonly PlacedProblem[] | undefined {
  const problems = problemsWithPlaces(error, source);
  const more = (problems?.length ?? 0) - MAX_PROBLEMS;
  return problems?.slice(0, MAX_PROBLEMS).map((place, index) => ({
    ...positionIn(source, place.start),
    code: place.code,
    problem: place.problem + (index === MAX_PROBLEMS - 1 && more > 0 ? ` (and ${more} more problems)` : ''),
    excerpt: excerptOf(source, place),
    ...(place.unfinished && { unfinished: place.unfinished }),
  }));
}

function problemsWithPlaces(error: unknown, source: string): readonly SelectProblem[] | undefined {
  if (error instanceof SqlFileError) return error.problems;
  if (!(error instanceof EndpointDefinitionError)) return undefined;
  const { placeOf } = readHeader(source);
  return error.problems.map(({ path, code, problem }) => ({ ...placeOf({ path }), code, problem }));
}

/** Line and column of an offset, both from 1; columns are characters. */
export function positionIn(
  source: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: Array.from(before.slice(lineStart)).length + 1 };
}
