import type { Values } from '../../endpoint/values.js';
import type { Column } from '../../endpoint/definition.js';
import { type FileProblem, problemInFile } from '../../endpoint/file-problems.js';
import { compareColumns, type ColumnDifference } from '../clickhouse/compare-columns.js';
import type { ResultColumn } from '../clickhouse/describe-columns.js';
import { lacksColumns, type SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { zonesOf } from './zones.js';

/** Problems for the differences of columns. In a `.sql` file they have a place in its header. */
export function columnProblems(
  declared: ReadonlyMap<string, Column>,
  described: readonly ResultColumn[],
  file: SqlFile | undefined,
  values: Values,
): readonly FileProblem[] {
  const differences = compareColumns(declared, described, zonesOf(values));
  if (file === undefined || lacksColumns(file))
    return differences.map(({ code, problem: sentence }) => ({ code, problem: sentence }));
  const isStale = differences.some(({ isMissing }) => isMissing);
  const advice = isStale ? ': delete columns from the header, and it is written anew' : '';
  return differences.map((difference, index) =>
    problemOfHeader({ ...difference, problem: difference.problem + (index === 0 ? advice : '') }, file),
  );
}

function problemOfHeader({ column, ...found }: ColumnDifference, file: SqlFile): FileProblem {
  const { value, placeOf } = file.header;
  const { columns } = value as { readonly columns: Readonly<Record<string, unknown>> };
  if (column === undefined)
    return problemInFile(file, { ...placeOf({ path: ['columns'], atKey: true }), ...found });
  const isObject = typeof columns[column] === 'object';
  const path = ['columns', column, ...(isObject ? ['type'] : [])];
  return problemInFile(file, { ...placeOf({ path }), ...found });
}
