import type { LastRow } from '../../endpoint/after-last-row.js';
import type { BoundQuery } from '../../endpoint/bind.js';
import type { Column, QueryLimits } from '../../endpoint/definition.js';
import type { Figures, Reader } from '../../endpoint/figures.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import type { BucketColumn } from '../../endpoint/pieces.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { Failure } from '../errors.js';
import type { KnownData } from './known-data.js';
import type { Representation } from '../formats/representation.js';
import type { Signal } from './signal.js';

/** Callers wait for interactive queries; no caller waits for warming. */
export type Priority = 'interactive' | 'warming';

/** Reports the cost of a query that has ended; undefined if the cost is unknown. */
export type SettleCost = (cost?: QueryCost) => Promise<void>;

/** The one on whose behalf a query runs. */
export interface Requester {
  /** Lane of fair queueing: first in, first out within a lane, round robin over lanes. Each caller has a lane of its own. */
  readonly lane: string;
  readonly priority: Priority;
  /**
   * Checks the caller's limits before the query enters the queue.
   *
   * @returns a function that must be called when the query has ended.
   * @throws Failure LIMIT_EXCEEDED.
   */
  readonly admitQuery?: (() => Promise<SettleCost>) | undefined;
  /**
   * Present if several callers can share the query. `priority` is then the best of theirs. Notifies the observer of every caller that
   * waits, now and later.
   *
   * @returns a function that stops the notifications.
   */
  readonly observeCallers?: ((observer: CallerObserver) => () => void) | undefined;
}

/** A caller that waits for a query. */
export interface WaitingCaller {
  readonly requester: Pick<Requester, 'lane' | 'priority'>;
  /** Ends the wait of this caller only. */
  readonly reject: (reason: Failure) => void;
}

export interface CallerObserver {
  readonly joined: (caller: WaitingCaller) => void;
  readonly left: (caller: WaitingCaller) => void;
}

/** A request for a slot of the queue and a server. */
export interface SlotRequest {
  /** Aborted when no caller waits for the result any more. The work in ClickHouse is then cancelled too. */
  readonly signal: Signal;
  /** If absent, the work is interactive, in a lane that all such work shares. */
  readonly requester?: Requester | undefined;
  /** Part of the time limit that an earlier attempt used, in milliseconds. Absent for the first attempt. */
  readonly spentMs?: number | undefined;
  /** Called when a server starts to respond, with rows or an error. After that the work is not retried elsewhere. */
  readonly onResponse?: (() => void) | undefined;
}

/** A page to fetch. */
export interface RequestedPage {
  readonly order: PageOrder;
  /** Last row of the page before. Absent for the first page. */
  readonly last?: LastRow | undefined;
}

/** A query to run, with its limits. */
export interface QueryRequest extends SlotRequest {
  readonly query: BoundQuery;
  /** Columns of the result. 'unknown' for a caller's own SQL, whose columns only ClickHouse knows. */
  readonly columns: ReadonlyMap<string, Column> | 'unknown';
  /** For a caller's own SQL: the endpoint's own query. It shows whether a problem comes from the endpoint or from the SQL. */
  readonly definition?: (() => Pick<QueryRequest, 'query' | 'columns'>) | undefined;
  /** Present where the result is a page. Its last row is then reported. */
  readonly page?: RequestedPage | undefined;
  /** Present where the rows are a piece. Their buckets are then reported. */
  readonly bucket?: BucketColumn | undefined;
  /** Output format of the rows. JSON if absent. */
  readonly representation?: Representation | undefined;
  /** Maximum number of rows to return. The query fetches one more, which shows that the result is truncated. */
  readonly rowCap: number;
  /** Reader of the body. If absent, a caller who sees only its own rows. */
  readonly reader?: Reader | undefined;
  /** Written to ClickHouse's query log. */
  readonly requestId: string;
  /** Limits of the endpoint's settings, if they differ from the gateway's. */
  readonly limits?: QueryLimits | undefined;
  /** Whether the settings under which equal data gives equal rows are sent, regardless of the user's profile. */
  readonly isVersioned?: boolean;
  /** Version of the tables. The query should read no later data. */
  readonly data?: KnownData | undefined;
  /**
   * Query with the values of the endpoint's example, which shows whether the values of the request made the query fail. Absent for a
   * caller's own SQL. @param isAlike whether the same parameters have a value as in the request
   */
  readonly exampleOf?: ((isAlike: boolean) => BoundQuery) | undefined;
  /** Headers for ClickHouse, so that its spans belong to the caller's trace (W3C Trace Context). */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Buckets of the first and last row, as texts that sort like the buckets. */
export interface BucketsOfRows {
  /** Whether the rows come in the order of their buckets. */
  readonly isOrdered: boolean;
  /** Bucket of the first row (`last`: of the last). Absent without rows. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}

/** A complete result. */
export interface QueryResult {
  readonly cost: Figures<QueryCost>;
  /** Body in the requested representation. For JSON, `{"result":[…]}` in UTF-8. */
  readonly body: Buffer;
  /** Number of leading bytes that are the same for equal rows. Absent where all bytes are. */
  readonly equalBytes?: number | undefined;
  readonly rowCount: number;
  /** Whether more rows existed than were returned. */
  readonly truncated: boolean;
  /** Last row of a page, if more pages follow. Absent in Parquet, Arrow and Prometheus. */
  readonly lastRow?: LastRow;
  /** Buckets of the rows. Absent unless requested. */
  readonly buckets?: BucketsOfRows;
  /** Set if a shard was unreachable. The rows of the other shards are for the waiting callers only, and are never cached. */
  readonly partial?: true;
  /** Set where the query read only data of the requested version. */
  readonly isOfVersion?: true;
  /** ID in ClickHouse's query log. */
  readonly queryId?: string;
  /** Wait of the query for a slot, in milliseconds. */
  readonly waitingMs?: number;
}

/**
 * Runs a read-only query and returns its complete result.
 *
 * @throws Failure in every other case, because there is no incomplete result.
 */
export type RunQuery = (request: QueryRequest) => Promise<QueryResult>;

/** A query in the background. Callers may have waited for it too. */
export interface BackgroundQuery {
  readonly purpose: 'warming' | 'verification' | 'replay' | 'deferred';
  /** Name of the key of a deferred call. Absent for other purposes. */
  readonly caller?: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly cost: Figures<QueryCost>;
  readonly queryId?: string | undefined;
  /** Number of callers that share the cost, including the background work itself. Absent: 1. */
  readonly callers?: number | undefined;
}

export type OnBackgroundQuery = (query: BackgroundQuery) => void;

/** State of deferred calls by their ids, which gateways share through Redis. Empty without Redis. It never rejects. */
export interface DeferredBoard {
  /** Notes that a caller wants the call. @returns the failure of a call that ended a short time ago */
  readonly want: (id: string, seconds: number) => Promise<Failure | undefined>;
  /** Whether a caller wants the call, at any gateway. */
  readonly isWanted: (id: string) => Promise<boolean>;
  readonly fail: (id: string, error: unknown, seconds: number) => Promise<void>;
}

/** A query whose rows go to the caller as they arrive. Its row cap is that of exports. Exceeding the cap is a failure. */
export interface ExportRequest extends QueryRequest {
  readonly representation: Representation;
  /** Maximum time of the query and the transfer together, in seconds. */
  readonly maxSeconds: number;
  /** Wait for a slot, in milliseconds. */
  readonly waitingMs: number;
  /** Calls back when the next bytes may be passed on. Other requests have their turn first. */
  readonly takeTurn: (resume: () => void) => void;
  /** Called when ClickHouse begins to respond with rows. @returns destination of the bytes */
  readonly openSink: () => ExportSink;
}

/** Destination of an export's bytes. The streams end only for a complete export. Otherwise the last stream is destroyed. */
export interface ExportSink {
  /** Streams through which the bytes pass, in this order. The last one is the caller's response. */
  readonly streams: readonly [...NodeJS.ReadWriteStream[], NodeJS.WritableStream];
  /** Called with a complete export, before the response ends. */
  readonly onComplete: (complete: ExportOutcome) => void;
}

/** A complete export. */
export interface ExportOutcome {
  /** Undefined for a format that does not count rows. */
  readonly rowCount: number | undefined;
  /** Size of the body before compression, in bytes. */
  readonly bytes: number;
  /** Undefined for a format in which ClickHouse does not report the cost. */
  readonly cost: Figures<QueryCost> | undefined;
  /** ID in ClickHouse's query log. */
  readonly queryId: string;
  readonly waitingMs: number;
}

/** Runs a read-only query and sends its rows. @throws Failure wherever not every row was sent */
export type RunExport = (request: ExportRequest) => Promise<ExportOutcome>;

/** How ClickHouse writes the rows of a statement. */
export interface StatementOutput {
  /** Name of ClickHouse's format. */
  readonly format: string;
  /** ClickHouse settings from the client and its key. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** Whether the body consists of ClickHouse's compressed frames. */
  readonly isFramed: boolean;
  /** Whether to leave out the number of rows before a LIMIT, which JSON and XML have at the end. */
  readonly hidesRowsBeforeLimit?: boolean;
}

/** The head of ClickHouse's response to a statement. */
export interface StatementHead {
  readonly contentType: string;
  readonly format: string;
  readonly timezone: string;
  /** Text that marks an exception in the body. */
  readonly exceptionTag: string;
}

/** A client's statement over endpoints as tables. ClickHouse's bytes go to the client as they arrive. */
export interface StatementRequest extends QueryRequest {
  readonly columns: 'unknown';
  /** Values of the client's own parameters, in ClickHouse's escaped form. */
  readonly values: Readonly<Record<string, string>>;
  readonly output: StatementOutput;
  /** Maximum time of the query and the transfer together, in milliseconds. */
  readonly timeoutMs: number;
  /** Calls back when the next bytes may be passed on. Other requests have their turn first. */
  readonly takeTurn: (resume: () => void) => void;
  /** Maximum size of a result that is returned instead of sent to the sink, in bytes. Absent: every result goes to the sink. */
  readonly wholeBytes?: number | undefined;
  /** Query that runs first, over known versions of its data. ClickHouse rejects it if it would read later data. */
  readonly queryOfVersions?: BoundQuery | undefined;
  /** Called when ClickHouse begins to respond with rows. @returns destination of the bytes */
  readonly openSink: (head: StatementHead) => StatementSink;
}

/** Destination of a statement's bytes. */
export interface StatementSink {
  /** Streams through which the bytes pass, in this order. The last one is the client's response. */
  readonly streams: readonly [...NodeJS.ReadWriteStream[], NodeJS.WritableStream];
  /** Text in ClickHouse's form that ends the body of a failed statement. */
  readonly textOf: (error: unknown) => string;
}

/** A statement whose rows were all sent. */
export interface StatementOutcome {
  /** Head and body of the result, where no sink got them. */
  readonly whole?: { readonly head: StatementHead; readonly body: Buffer } | undefined;
  /** Set where the query read only data of the known versions. */
  readonly isOfVersion?: true;
  readonly cost: Figures<QueryCost>;
  /** Size before compression by the gateway. */
  readonly bytes: number;
  /** ID in ClickHouse's query log. */
  readonly queryId: string;
}

/** Runs a statement in its slot. */
export type RunScheduledStatement = (
  request: Omit<StatementRequest, 'takeTurn'>,
) => Promise<StatementOutcome & { readonly waitingMs: number }>;

/** Runs a statement and sends its rows. @throws Failure wherever not every row was sent */
export type RunStatement = (request: StatementRequest) => Promise<StatementOutcome>;

/** Returns the current time; tests replace it. */
export type Clock = () => Date;
