import type { Column } from './column.js';
import type { TimeColumn } from './time-column.js';

/** A column that an INSERT cannot write, because ClickHouse computes it. */
export interface ComputedColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: 'MATERIALIZED' | 'ALIAS';
  readonly expression: string;
}

/** How ClickHouse reads lines as rows of a table. */
export interface RowShape {
  readonly columns: readonly Column[];
  /** Defaults may depend on these. */
  readonly computed: readonly ComputedColumn[];
  readonly time: TimeColumn | undefined;
}
