import type { Values } from '../../endpoint/values.js';
import type { Column } from '../../endpoint/definition.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import type { ResultColumn } from '../clickhouse/describe-columns.js';
import { problemInFile, type SqlFile } from './sql-file.js';
import { withoutZones, zonesOf } from './zones.js';
import { problem, type Problem } from '../../endpoint/problems.js';

/** A difference between the declared columns and those of the query. */
export interface ColumnDifference extends Problem {
  /** The declared column that differs; absent where the difference is not one of a declared column. */
  readonly column?: string;
  /** Whether the query lacks the column. */
  readonly isMissing?: boolean;
}

/**
 * The differences between an endpoint's declared columns and the columns of its query; empty where they are equal.
 *
 * @param zones time zones that the values of the call can have given to columns: they are not compared.
 */
export function compareColumns(
  declared: ReadonlyMap<string, Pick<Column, 'type'>>,
  described: readonly ResultColumn[],
  zones: ReadonlySet<string> = new Set(),
): readonly ColumnDifference[] {
  const returned = new Map(described.map(({ name, type }) => [name, type]));
  const ofDeclared = [...declared].flatMap(([column, { type }]): readonly ColumnDifference[] => {
    const real = returned.get(column);
    if (real === undefined) return [{ column, isMissing: true, ...problem('COLUMN_NOT_RETURNED', column) }];
    if (isSameType(type, real, zones)) return [];
    return [{ column, ...problem('COLUMN_TYPE_DIFFERS', column, type, real) }];
  });
  const undeclared = described.filter(({ name }) => !declared.has(name));
  const differences = [
    ...ofDeclared,
    ...undeclared.map(({ name, type }) => problem('COLUMN_UNDECLARED', name, type)),
  ];
  const names = described.map(({ name }) => name).join(', ');
  if (differences.length > 0 || names === [...declared.keys()].join(', ')) return differences;
  return [problem('COLUMN_ORDER_DIFFERS', names)];
}

function isSameType(declared: string, real: string, zones: ReadonlySet<string>): boolean {
  if (declared === real) return true;
  return withoutZones(real, zones) !== real && withoutZones(declared) === withoutZones(real);
}

/** The differences as problems; those of a `.sql` file with their place in its header. */
export function columnProblems(
  declared: ReadonlyMap<string, Column>,
  described: readonly ResultColumn[],
  file: SqlFile | undefined,
  values: Values,
): readonly FileProblem[] {
  const differences = compareColumns(declared, described, zonesOf(values));
  if (file === undefined || file.lacksColumns)
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
