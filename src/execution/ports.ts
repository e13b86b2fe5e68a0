import type { Column, QueryLimits } from '../endpoint/definition.js';
import type { BoundQuery } from '../endpoint/bind.js';

/** Callers wait for the one; nobody waits for the other. */
export type Priority = 'interactive' | 'warming';

/** Told what a query cost, once it is over; nothing where that is not known. */
export type Settle = (cost?: QueryResult) => Promise<void>;

/** On whose behalf a query is asked. */
export interface Asker {
  /** Those of one lane wait for each other, lanes take turns: a caller has its own. */
  readonly lane: string;
  readonly priority: Priority;
  /**
   * The caller's limits, asked before the query takes a place; what it gives is told of the query's end.
   *
   * @throws Failure where a limit refuses.
   */
  readonly admitQuery?: (() => Promise<Settle>) | undefined;
}

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
  /** Without one it is interactive, in a lane that all such queries share. */
  readonly asker?: Asker | undefined;
  /** What the endpoint's settings allow a query, where that is not what all may. */
  readonly limits?: QueryLimits | undefined;
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
