import { ClickHouseError } from '@clickhouse/client';

import { translateClickHouseError } from '../clickhouse/translate-error.js';
import { textWithCarets } from '../../endpoint/excerpt.js';
import type { Values } from '../../endpoint/values.js';
import type { Place } from '../../endpoint/sql-file/select/select-text.js';
import { adviceOn, type Advice } from './advice.js';
import { placeInFile } from './place-in-file.js';
import { textOfProblem, type FileProblem, problemInFile } from '../../endpoint/file-problems.js';
import { queryProblem, type ShowInFile } from './query-problem.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { problem } from '../../endpoint/problems.js';

/** Maximum number of places that a problem shows for one name, because the name can also occur in comments. */
const MAX_PLACES = 3;

/** A query of an endpoint that was sent to ClickHouse. */
export interface SentQuery {
  /** Text that was sent before the query. Absent: none. */
  readonly prefix?: string;
  readonly text: string;
  readonly values: Values;
  /** Warning about clauses at the end of the query, where a name in them is the reason of the failure. */
  readonly mistakeAtEnd?: string | undefined;
}

function adviceFor(
  { mistakeAtEnd }: SentQuery,
  cause: unknown,
  file: SqlFile,
  named: Place | undefined,
): Advice | undefined {
  if (mistakeAtEnd !== undefined) return { advice: `; ${mistakeAtEnd}` };
  return cause instanceof ClickHouseError ? adviceOn(cause, file, named) : undefined;
}

/** Problem of a failed query. If the query comes from a `.sql` file, the problem has its place there. */
export function queryProblemInFile(error: unknown, query: SentQuery, file: SqlFile | undefined): FileProblem {
  const { prefix = '', text } = query;
  const sent = prefix + text;
  const inText = (position: number): number => Math.max(0, position - prefix.length);
  if (file === undefined) {
    return queryProblem(error, sent, (message, positions) => ({
      ...problem('QUERY_REJECTED', message),
      excerpt: textWithCarets(text, positions.map(inText)),
    }));
  }
  const { cause } = translateClickHouseError(error).details;
  const showInFile: ShowInFile = (message, positions) => {
    const places = (
      query.mistakeAtEnd === undefined ? positions.slice(0, MAX_PLACES) : positions.slice(-1)
    ).map((position) => placeInFile(file, query, inText(position)));
    if (places.includes(undefined)) return undefined;
    const [named, ...others] = places.filter((place) => place !== undefined);
    const advised = adviceFor(query, cause, file, named);
    const first = advised?.place ?? named;
    const text = (advised?.message ?? message) + (advised?.advice ?? '');
    const found = problem('QUERY_REJECTED', text);
    if (first === undefined) return { file: file.shownPath, ...found };
    const shown = problemInFile(file, { ...first, ...found });
    const same = others.map((place) =>
      problemInFile(file, { ...place, ...problem('QUERY_REJECTED', 'the same name') }),
    );
    return {
      ...shown,
      excerpt: [shown.excerpt ?? '', ...same.map((other) => `  ${textOfProblem(other)}`)].join('\n'),
    };
  };
  return queryProblem(error, sent, showInFile);
}
