import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';

/** What is read, of how much. */
export interface Share {
  readonly read: number;
  readonly of: number;
}

/** What a query will read of one table, as ClickHouse estimates it from the table's indexes. */
export interface TableRead {
  readonly database: string;
  readonly table: string;
  readonly rows: number;
  /** Number of times that the query reads the table. The figures are sums over all of these. */
  readonly reads: number;
  readonly parts: Share;
  readonly granules: Share;
}

/** What running the example cost. */
export interface ExampleRun {
  readonly rows: number;
  /** Whether there were more rows than the endpoint returns. */
  readonly truncated: boolean;
  /** Milliseconds from the start of the query to the complete result. */
  readonly milliseconds: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** The result of checking one endpoint. */
export interface CheckedEndpoint {
  readonly name: string;
  /** Path in messages: `endpoints/visits.by-day.sql`; absent for the gateway's own endpoints. */
  readonly file?: string;
  /** What makes the check fail. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
  /** Absent where the example failed. */
  readonly example?: ExampleRun;
  /** The tables that the example reads; empty where ClickHouse could not estimate that. */
  readonly tables: readonly TableRead[];
  /** Whether results can be cached until their data changes; absent where that was not checked. */
  readonly untilChanged?: { readonly possible: boolean; readonly reason?: string };
  /** The columns that the check wrote into the header of a file. */
  readonly columnsWritten?: { readonly file: string; readonly text: string };
  /** The endpoint with the columns that its header lacks; absent where none are missing, or where the check has ended. */
  readonly completed?: Endpoint;
}

/** What an example reads of all its tables. */
export function totalOf(tables: readonly TableRead[], what: 'parts' | 'granules'): Share {
  const sum = (key: keyof Share): number => tables.reduce((total, table) => total + table[what][key], 0);
  return { read: sum('read'), of: sum('of') };
}
