import type { BoundQuery } from '../endpoint/bind.js';
import type { Column, QueryLimits } from '../endpoint/definition.js';
import type { Failure } from '../errors.js';
import type { Representation } from '../formats/representation.js';

/** Callers wait for the one; nobody waits for the other. */
export type Priority = 'interactive' | 'warming';

/** Told what a query cost, once it is over; nothing where that is not known. */
export type SettleCost = (cost?: QueryResult) => Promise<void>;

/** On whose behalf a query is asked. */
export interface Requester {
  /** Those of one lane wait for each other, lanes take turns: a caller has its own. */
  readonly lane: string;
  readonly priority: Priority;
  /**
   * The caller's limits, asked before the query takes a place; what it gives is told of the query's end.
   *
   * @throws Failure where a limit refuses.
   */
  readonly admitQuery?: (() => Promise<SettleCost>) | undefined;
  /**
   * Where several callers can share the query: notifies of each that waits for it, at once and from now on, until what it
   * returns is called. Absent where the query has one caller. The priority is then the best of all callers'.
   */
  readonly observeCallers?: ((observer: CallerObserver) => () => void) | undefined;
}

/** A caller that waits for a query. */
export interface WaitingCaller {
  readonly requester: Pick<Requester, 'lane' | 'priority'>;
  /** Ends the wait of this caller alone. */
  readonly reject: (reason: Failure) => void;
}

export interface CallerObserver {
  readonly joined: (caller: WaitingCaller) => void;
  readonly left: (caller: WaitingCaller) => void;
}

/** Work that needs a slot and a server: on whose behalf, and until when. */
export interface SlotRequest {
  /** Aborted when nobody waits for the result any more; the work then ends in ClickHouse too. */
  readonly signal: AbortSignal;
  /** Without one it is interactive, in a lane that all such queries share. */
  readonly requester?: Requester | undefined;
  /** Milliseconds of its time limit that an earlier try has used up; absent for the first. */
  readonly spentMs?: number | undefined;
  /** Notified when a server begins to answer, an error or rows: from then on no other server may be asked. */
  readonly onResponse?: (() => void) | undefined;
}

/** A query to run, and how far it may go. */
export interface QueryRequest extends SlotRequest {
  readonly query: BoundQuery;
  /** What the query gives; 'unknown' for a caller's own SQL, of which ClickHouse is asked first, and whose faults are its. */
  readonly columns: ReadonlyMap<string, Column> | 'unknown';
  /** How the rows are to be written; JSON where it is absent. */
  readonly representation?: Representation | undefined;
  /** Rows to return at most; the query itself asks for one more, so that a cut is known. */
  readonly rowCap: number;
  /** Reaches ClickHouse's query log. */
  readonly requestId: string;
  /** What the endpoint's settings allow a query, where that is not what all may. */
  readonly limits?: QueryLimits | undefined;
  /** Sent along, so that ClickHouse's own spans belong to the caller's trace (W3C Trace Context). */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
}

/** A complete result. */
export interface QueryResult {
  /** In the representation that was asked for: in JSON, `{"result":[…]}` in UTF-8. */
  readonly body: Buffer;
  readonly rowCount: number;
  /** Whether more rows existed than were returned. */
  readonly truncated: boolean;
  /** Set where a shard was away, and the rows are those of the others. */
  readonly partial?: true;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Milliseconds that the query took in ClickHouse, by its own account. */
  readonly clickhouseMs: number;
  /** As in ClickHouse's query log. */
  readonly queryId?: string;
  /** Milliseconds that the query waited for a place. */
  readonly waitedMs?: number;
}

/**
 * Runs a read-only query to its end.
 *
 * @throws Failure: a result is complete, or it is not a result.
 */
export type RunQuery = (request: QueryRequest) => Promise<QueryResult>;

/** The time, which tests set. */
export type Clock = () => Date;
