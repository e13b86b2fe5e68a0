/** What a query will read of one table, as ClickHouse estimates it. */
export interface TableEstimate {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly marks: number;
  /** Marks of the whole table. */
  readonly tableMarks: number;
}

/** The result of checking one endpoint. */
export interface CheckedEndpoint {
  readonly name: string;
  /** Problems that make the check fail. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  readonly rows: number | undefined;
  readonly truncated: boolean | undefined;
  /** From sending the query to the complete result. */
  readonly milliseconds: number | undefined;
  readonly rowsRead: number | undefined;
  readonly bytesRead: number | undefined;
  readonly estimate: readonly TableEstimate[];
  /** The columns that the check wrote into the header of a file. */
  readonly columnsWritten?: { readonly file: string; readonly text: string };
}
