import { shortened } from '../../loading/load-error.js';
import type { InferredColumn } from '../../loading/infer-columns.js';
import { sqlName } from '../../introspect/names.js';

/** Columns with more different values than this do not come first in a sorting key. */
const MAX_KEY_VALUES = 1000;
/** More than this many columns before the time would scatter each period over the whole table. */
const MAX_KEY_CATEGORIES = 2;

/**
 * The text of a schema file that creates a table.
 *
 * @param source name of the file that the columns were inferred from.
 */
export function tableFile(table: string, columns: readonly InferredColumn[], source: string): string {
  const declared = columns.map(({ name, type }) => `    ${sqlName(name)} ${type}`).join(',\n');
  const key = sortingKey(columns).map(({ name }) => sqlName(name));
  return `-- Columns inferred from the first lines of ${shortened(source, 100)} by querygate load --create.
-- Rows are sorted by columns with few values, then by time. Put the columns first that most endpoints filter by.
-- querygate dev --recreate creates its database again with a changed file; where others have applied it, add a new file instead.
CREATE TABLE IF NOT EXISTS ${sqlName(table)}
(
${declared}
)
ENGINE = MergeTree
ORDER BY ${key.length === 1 ? String(key[0]) : key.length > 0 ? `(${key.join(', ')})` : 'tuple()'};
`;
}

/** Columns with few values, the fewest first, then the time. */
function sortingKey(columns: readonly InferredColumn[]): InferredColumn[] {
  const times = columns.filter(({ use }) => use === 'time');
  // The column that --shift-to-now and the checks of times know.
  const time = times.find(({ name }) => name === 'timestamp') ?? times[0];
  const categories = columns
    .filter(({ use, distinct }) => use === 'category' && distinct <= MAX_KEY_VALUES)
    .sort((a, b) => a.distinct - b.distinct)
    .slice(0, MAX_KEY_CATEGORIES);
  return [...categories, ...(time ? [time] : [])];
}
