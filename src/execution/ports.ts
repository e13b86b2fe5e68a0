import type { Column } from '../endpoint/definition.js';
import type { BoundQuery } from '../endpoint/bind.js';

/** A query to run, and how far it may go. */
export interface QueryRequest {
  readonly query: BoundQuery;
  /** What the query gives; 'unknown' for a caller's own SQL, of which ClickHouse is asked first, and whose faults are its. */
  readonly columns: ReadonlyMap<string, Column> | 'unknown';
  /** Rows to return at most; the query itself asks for one more, so that a cut is known. */
  readonly rowCap: number;
  /** Reaches ClickHouse's query log. */
  readonly requestId: string;
  /** Aborted when nobody waits for the answer any more; the query then ends in ClickHouse too. */
  readonly signal: AbortSignal;
}

/** A complete result. */
export interface QueryResult {
  /** UTF-8 JSON: `{"result":[…]}`. */
  readonly body: Buffer;
  readonly rowCount: number;
  /** Whether more rows existed than were returned. */
  readonly truncated: boolean;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Milliseconds that the query took in ClickHouse, by its own account. */
  readonly clickhouseMs: number;
}

/**
 * Runs a read-only query to its end.
 *
 * @throws Failure: a result is complete, or it is not a result.
 */
export type RunQuery = (request: QueryRequest) => Promise<QueryResult>;

/** The time, which tests set. */
export type Clock = () => Date;
