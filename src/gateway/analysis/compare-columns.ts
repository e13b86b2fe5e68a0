import type { Column } from '../../endpoint/definition.js';
import type { DescribedColumn } from './described-column.js';
import { withoutZones } from './zones.js';

/** What a problem ends with of a declared column that the query lacks. */
export const NOT_RETURNED = 'but the query does not return it';

/** A difference between the declared columns and those of the query. */
export interface ColumnDifference {
  readonly problem: string;
  /** The declared column that differs; absent where the difference is not one of a declared column. */
  readonly column?: string;
}

/**
 * The differences between an endpoint's declared columns and the columns of its query; empty where they are equal.
 *
 * @param zones time zones that the values of the call can have given to columns: they are not compared.
 */
export function compareColumns(
  declared: ReadonlyMap<string, Pick<Column, 'type'>>,
  described: readonly DescribedColumn[],
  zones: ReadonlySet<string> = new Set(),
): readonly ColumnDifference[] {
  const returned = new Map(described.map(({ name, type }) => [name, type]));
  const differences: ColumnDifference[] = [];
  for (const [column, { type }] of declared) {
    const real = returned.get(column);
    const problem =
      real === undefined
        ? `column ${column} is declared, ${NOT_RETURNED}`
        : `column ${column} is declared as ${type}, but the query returns ${real}`;
    if (!isSameType(type, real, zones)) differences.push({ column, problem });
  }
  for (const { name, type } of described) {
    if (!declared.has(name))
      differences.push({ problem: `column ${name} ${type} is returned by the query, but not declared` });
  }
  const names = described.map(({ name }) => name);
  if (differences.length === 0 && names.join() !== [...declared.keys()].join()) {
    const problem = `the query returns the columns in another order than declared: ${names.join(', ')}`;
    differences.push({ problem });
  }
  return differences;
}

function isSameType(declared: string, real: string | undefined, zones: ReadonlySet<string>): boolean {
  if (real === undefined || declared === real) return declared === real;
  const withoutOwn = withoutZones(real, zones);
  return withoutOwn !== real && withoutZones(declared) === withoutZones(real);
}
