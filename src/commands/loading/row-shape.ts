import type { TimeColumn } from './time-column.js';

/** A column that an INSERT can write. */
export interface Column {
  readonly name: string;
  /** ClickHouse's spelling: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** Default for lines without the field; empty for the default of the type. */
  readonly defaultExpression: string;
}

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

/** The name of a column's type without Nullable, LowCardinality and parameters: `UInt16`. */
export function bareType({ type }: Pick<Column, 'type'>): string {
  return type.replace(/^(?:LowCardinality\(|Nullable\()+/, '').replace(/\W.*$/s, '');
}
