/** A column as `DESCRIBE` returns it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}
