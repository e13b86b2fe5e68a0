/** A line that is a JSON object; ClickHouse may still be unable to read its values. */
export interface Row {
  readonly line: number;
  /** The object, starting with its brace. */
  readonly text: string;
}
