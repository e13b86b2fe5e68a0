import type { Values } from '../endpoint/bind.js';
import { placeInFile } from './place-in-file.js';
import { textOfProblem, type FileProblem } from '../endpoint/file-problems.js';
import { queryProblem, type ShowInFile } from './query-problem.js';
import { problemInFile, type SqlFile } from './sql-file.js';

/** Places of one name that a problem shows at most: a name can also stand in comments. */
const MAX_PLACES = 3;

/** A query of an endpoint that was sent. */
export interface SentQuery {
  /** What was sent before the query; nothing where absent. */
  readonly prefix?: string;
  readonly text: string;
  readonly values: Values;
}

/** The problem of a query that failed, with its place in the `.sql` file that the query is from, where it is from one. */
export function queryProblemInFile(error: unknown, query: SentQuery, file: SqlFile | undefined): FileProblem {
  const { prefix = '', text } = query;
  const sent = prefix + text;
  if (file === undefined) return queryProblem(error, sent);
  const showInFile: ShowInFile = (message, positions) => {
    const places = positions
      .slice(0, MAX_PLACES)
      .map((position) => placeInFile(file, query, Math.max(0, position - prefix.length)));
    if (places.includes(undefined)) return undefined;
    const [first, ...others] = places.filter((place) => place !== undefined);
    if (first === undefined) return { file: file.shownPath, problem: message };
    const problem = problemInFile(file, { ...first, problem: message });
    const same = others.map((place) => problemInFile(file, { ...place, problem: 'the same name' }));
    return {
      ...problem,
      excerpt: [problem.excerpt ?? '', ...same.map((other) => `  ${textOfProblem(other)}`)].join('\n'),
    };
  };
  return queryProblem(error, sent, showInFile);
}
