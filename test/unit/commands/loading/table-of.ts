import type { ComputedColumn } from '../../../../src/commands/loading/row-shape.js';
import type { Column } from '../../../../src/commands/loading/column.js';
import type { TargetTable } from '../../../../src/commands/loading/target-table.js';
import { findTimeColumn } from '../../../../src/commands/loading/time-column.js';

/** A table `t` of columns without defaults, by their types, and of computed columns. */
export function tableOf(
  typeByName: Readonly<Record<string, string>>,
  computed: readonly ComputedColumn[] = [],
): TargetTable {
  const columns = Object.entries(typeByName).map(([name, type]): Column => ({
    name,
    type,
    defaultExpression: '',
  }));
  return { name: 't', columns, computed, time: findTimeColumn(columns), ttl: undefined };
}
