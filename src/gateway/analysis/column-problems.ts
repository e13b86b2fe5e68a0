import type { Values } from '../../endpoint/values.js';
import type { Column } from '../../endpoint/definition.js';
import { readHeader } from '../../endpoint/sql-file/header.js';
import { compareColumns, NOT_RETURNED, type ColumnDifference } from './compare-columns.js';
import type { DescribedColumn } from './described-column.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { problemInFile, type SqlFile } from './sql-file.js';
import { zonesOf } from './zones.js';

/** The differences between declared and returned columns; those of a `.sql` file with their place in its header. */
export function columnProblems(
  declared: ReadonlyMap<string, Column>,
  described: readonly DescribedColumn[],
  file: SqlFile | undefined,
  values: Values,
): readonly FileProblem[] {
  const differences = compareColumns(declared, described, zonesOf(values));
  const isStale = differences.some(({ problem }) => problem.endsWith(NOT_RETURNED));
  if (file === undefined || file.lacksColumns) return differences.map(({ problem }) => ({ problem }));
  const [first, ...others] = differences.map((difference) => problemOfHeader(difference, file));
  if (first === undefined || !isStale) return first ? [first, ...others] : [];
  const advice = 'delete columns from the header, and it is written anew';
  return [{ ...first, problem: `${first.problem}: ${advice}` }, ...others];
}

function problemOfHeader({ column, problem }: ColumnDifference, file: SqlFile): FileProblem {
  const { value, placeOf } = readHeader(file.source);
  const { columns } = value as { readonly columns: Readonly<Record<string, unknown>> };
  if (column === undefined)
    return problemInFile(file, { ...placeOf({ path: ['columns'], atKey: true }), problem });
  const isObject = typeof columns[column] === 'object';
  const path = ['columns', column, ...(isObject ? ['type'] : [])];
  return problemInFile(file, { ...placeOf({ path }), problem });
}
