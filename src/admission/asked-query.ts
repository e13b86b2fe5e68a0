import type { QueryRequest, QueryResult } from '../execution/ports.js';

/** Callers wait for the one; nobody waits for the other. */
export type Priority = 'interactive' | 'warming';

/** What a query cost, or undefined where that is not known. */
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

/** A query with its asker. Without one it is interactive, in a lane that all such queries share. */
export interface AskedQuery extends QueryRequest {
  readonly asker?: Asker | undefined;
}

/** As {@link RunQuery}, of a query whose asker may be known. */
export type RunAskedQuery = (request: AskedQuery) => Promise<QueryResult>;
