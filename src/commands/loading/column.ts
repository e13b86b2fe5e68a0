/** A column that an INSERT can write. */
export interface Column {
  readonly name: string;
  /** ClickHouse's spelling: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** Default for lines without the field; empty for the default of the type. */
  readonly defaultExpression: string;
}
