/** A column that an INSERT can write. */
export interface Column {
  readonly name: string;
  /** ClickHouse's spelling: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** Default for lines without the field; empty for the default of the type. */
  readonly defaultExpression: string;
}

/** The name of a column's type without Nullable, LowCardinality and parameters: `UInt16`. */
export function bareType({ type }: Pick<Column, 'type'>): string {
  return type.replace(/^(?:LowCardinality\(|Nullable\()+/, '').replace(/\W.*$/s, '');
}
