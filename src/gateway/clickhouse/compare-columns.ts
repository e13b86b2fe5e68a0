import type { DeclaredTypes } from '../../endpoint/declared-types.js';
import { problem, type Problem } from '../../endpoint/problems.js';
import { withoutZones } from '../../endpoint/type-name.js';
import type { ResultColumn } from '../formats/format.js';

/** A difference between the declared columns and those of the query. */
export interface ColumnDifference extends Problem {
  /** Declared column that differs. Absent where the difference does not concern a declared column. */
  readonly column?: string;
  /** Whether the query lacks the column. */
  readonly isMissing?: boolean;
}

/**
 * Differences between an endpoint's declared columns and the columns of its query. Empty where they are equal.
 *
 * @param zones time zones that the values of the call may have given to columns. They are not compared.
 */
export function compareColumns(
  declared: DeclaredTypes,
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
