/** What reading one table costs a query, as ClickHouse estimates it. */
export interface TableEstimate {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly marks: number;
  /** Marks of the whole table. */
  readonly tableMarks: number;
}

/** What became of an endpoint's example. */
export interface CheckedEndpoint {
  readonly name: string;
  /** What makes the check fail. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  readonly rows: number | undefined;
  readonly truncated: boolean | undefined;
  /** From sending the query to having the rows. */
  readonly milliseconds: number | undefined;
  readonly rowsRead: number | undefined;
  readonly bytesRead: number | undefined;
  readonly estimate: readonly TableEstimate[];
}
