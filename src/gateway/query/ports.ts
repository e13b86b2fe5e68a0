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

/** On whose behalf a query runs. */
export interface Requester {
  /** Lane of the fair queueing: first in, first out within a lane, round robin over lanes. Each caller has its own. */
  readonly lane: string;
  readonly priority: Priority;
  /**
   * Checks the caller's limits before the query enters the queue.
   *
   * @returns to be called when the query has ended.
   * @throws Failure LIMIT_EXCEEDED.
   */
  readonly admitQuery?: (() => Promise<SettleCost>) | undefined;
  /**
   * Present if several callers can share the query; `priority` is then the best of theirs. Notifies the observer of
   * every caller that waits, now and later.
   *
   * @returns stops the notifications.
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
  /** Aborted when no caller waits for the result any more; the work in ClickHouse is then cancelled too. */
  readonly signal: Signal;
  /** If absent, the work is interactive, in a lane that all such work shares. */
  readonly requester?: Requester | undefined;
  /** Milliseconds of the time limit that an earlier attempt used; absent for the first attempt. */
  readonly spentMs?: number | undefined;
  /** Called when a server starts to respond, with rows or an error: the work is then no longer retried elsewhere. */
  readonly onResponse?: (() => void) | undefined;
}

/** A page to fetch. */
export interface RequestedPage {
  readonly order: PageOrder;
  /** The last row of the page before; absent for the first page. */
  readonly last?: LastRow | undefined;
}

/** A query to run, with its limits. */
export interface QueryRequest extends SlotRequest {
  readonly query: BoundQuery;
  /** Columns of the result; 'unknown' for a caller's own SQL, whose columns only ClickHouse knows. */
  readonly columns: ReadonlyMap<string, Column> | 'unknown';
  /** With a caller's own SQL: the endpoint's own query, which tells a problem of the endpoint from one of the SQL. */
  readonly definition?: (() => Pick<QueryRequest, 'query' | 'columns'>) | undefined;
  /** Present where the result is a page: its last row is then reported. */
  readonly page?: RequestedPage | undefined;
  /** Present where the rows are those of a piece: their buckets are then reported. */
  readonly bucket?: BucketColumn | undefined;
  /** Output format of the rows; JSON if absent. */
  readonly representation?: Representation | undefined;
  /** The most rows to return. The query itself fetches one more, which shows that the result is truncated. */
  readonly rowCap: number;
  /** For whom the body is written; absent: for a caller who sees its own rows only. */
  readonly reader?: Reader | undefined;
  /** Written to ClickHouse's query log. */
  readonly requestId: string;
  /** Limits of the endpoint's settings, if they differ from the gateway's. */
  readonly limits?: QueryLimits | undefined;
  /** Whether the settings under which equal data gives equal rows are sent, whatever the profile of the user says. */
  readonly isVersioned?: boolean;
  /** The version of the tables that the query should read, and no data of later ones. */
  readonly data?: KnownData | undefined;
  /**
   * The query with the values of the endpoint's example, to find out whether the values of the request made it fail; absent for a
   * caller's own SQL. @param isAlike whether the same parameters have a value as in the request
   */
  readonly exampleOf?: ((isAlike: boolean) => BoundQuery) | undefined;
  /** Sent to ClickHouse, so that its spans belong to the caller's trace (W3C Trace Context). */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
}

/** The buckets of rows, in a form that is ordered as they are. */
export interface BucketsOfRows {
  /** Whether the rows come in the order of their buckets. */
  readonly isOrdered: boolean;
  /** Of the first row; absent without rows. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}

/** A complete result. */
export interface QueryResult {
  readonly cost: Figures<QueryCost>;
  /** In the requested representation; for JSON, `{"result":[…]}` in UTF-8. */
  readonly body: Buffer;
  /** Leading bytes of the body that are the same for equal rows; all bytes where it is absent. */
  readonly equalBytes?: number | undefined;
  readonly rowCount: number;
  /** Whether more rows existed than were returned. */
  readonly truncated: boolean;
  /** The last row of a page that is not the last; absent in Parquet, Arrow and Prometheus. */
  readonly lastRow?: LastRow;
  /** Present where they were asked for. */
  readonly buckets?: BucketsOfRows;
  /** Set if a shard was unreachable: the rows are those of the other shards, for the waiting callers only, never cached. */
  readonly partial?: true;
  /** Set where the query read no data beside that of the requested version. */
  readonly isOfVersion?: true;
  /** The id in ClickHouse's query log. */
  readonly queryId?: string;
  /** Milliseconds for which the query waited for a slot. */
  readonly waitingMs?: number;
}

/**
 * Runs a read-only query and returns its complete result.
 *
 * @throws Failure in every other case: there is no incomplete result.
 */
export type RunQuery = (request: QueryRequest) => Promise<QueryResult>;

/** A query for which no caller waited, or for which it waited together with callers. */
export interface BackgroundQuery {
  readonly purpose: 'warming' | 'verification' | 'replay' | 'deferred';
  /** Of a deferred call: the name of its key. */
  readonly caller?: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly cost: Figures<QueryCost>;
  readonly queryId?: string | undefined;
  /** How many share the cost, with the background work itself; 1 where it is absent. */
  readonly callers?: number | undefined;
}

export type OnBackgroundQuery = (query: BackgroundQuery) => void;

/** What gateways share about deferred calls, by their ids; without Redis nothing. Never rejects. */
export interface DeferredBoard {
  /** Notes that a caller wants the call. @returns the failure of one that ended a short time ago */
  readonly want: (id: string, seconds: number) => Promise<Failure | undefined>;
  /** Whether a caller wants the call, at any gateway. */
  readonly isWanted: (id: string) => Promise<boolean>;
  readonly fail: (id: string, error: unknown, seconds: number) => Promise<void>;
}

/** A query whose rows go to the caller as they arrive. Its row cap is the one of exports, and exceeding it is a failure. */
export interface ExportRequest extends QueryRequest {
  readonly representation: Representation;
  /** Seconds that the query and the transfer may take together. */
  readonly maxSeconds: number;
  /** Milliseconds for which it waited for a slot. */
  readonly waitingMs: number;
  /** Calls back when the next bytes may be passed on: other requests have their turn first. */
  readonly takeTurn: (resume: () => void) => void;
  /** Called when ClickHouse begins to respond with rows. @returns where their bytes go */
  readonly openSink: () => ExportSink;
}

/** Where the bytes of an export go. They end only where they are complete; else the last stream is destroyed. */
export interface ExportSink {
  /** The bytes pass through them in this order; the last one is the caller's response. */
  readonly streams: readonly [...NodeJS.ReadWriteStream[], NodeJS.WritableStream];
  /** Called with a complete export, before the response ends. */
  readonly onComplete: (complete: ExportOutcome) => void;
}

/** A complete export. */
export interface ExportOutcome {
  /** Undefined for a format that does not count rows. */
  readonly rowCount: number | undefined;
  /** Of the body, before any compression. */
  readonly bytes: number;
  /** Undefined for a format in which ClickHouse does not report it. */
  readonly cost: Figures<QueryCost> | undefined;
  /** The id in ClickHouse's query log. */
  readonly queryId: string;
  readonly waitingMs: number;
}

/** Runs a read-only query and sends its rows. @throws Failure wherever not every row was sent */
export type RunExport = (request: ExportRequest) => Promise<ExportOutcome>;

/** How ClickHouse writes the rows of a statement. */
export interface StatementOutput {
  /** Of ClickHouse. */
  readonly format: string;
  /** Settings of ClickHouse that the client sent, and those of its key. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** Whether the body consists of ClickHouse's compressed frames. */
  readonly isFramed: boolean;
  /** Whether the number of rows before a LIMIT, which JSON and XML have at their end, is left out. */
  readonly hidesRowsBeforeLimit?: boolean;
}

/** The head of ClickHouse's response to a statement. */
export interface StatementHead {
  readonly contentType: string;
  readonly format: string;
  readonly timezone: string;
  /** What marks an exception in the body. */
  readonly exceptionTag: string;
}

/** A statement of a client over endpoints as tables: the bytes of ClickHouse go to the client as they arrive. */
export interface StatementRequest extends QueryRequest {
  readonly columns: 'unknown';
  /** Values of parameters that are no endpoint's, in ClickHouse's escaped form. */
  readonly values: Readonly<Record<string, string>>;
  readonly output: StatementOutput;
  /** Milliseconds that the query and the transfer may take together. */
  readonly timeoutMs: number;
  /** Calls back when the next bytes may be passed on: other requests have their turn first. */
  readonly takeTurn: (resume: () => void) => void;
  /** A result of at most so many bytes is returned, and goes to no sink; none where absent. */
  readonly wholeBytes?: number | undefined;
  /** The query as it runs first, over known versions of its data: ClickHouse rejects it where it would read data of later ones. */
  readonly queryOfVersions?: BoundQuery | undefined;
  /** Called when ClickHouse begins to respond with rows. @returns where their bytes go */
  readonly openSink: (head: StatementHead) => StatementSink;
}

/** Where the bytes of a statement go. */
export interface StatementSink {
  /** The last one is the client's response. */
  readonly streams: readonly [...NodeJS.ReadWriteStream[], NodeJS.WritableStream];
  /** The text with which a body ends that fails, in the form of ClickHouse. */
  readonly textOf: (error: unknown) => string;
}

/** A statement whose rows were all sent. */
export interface StatementOutcome {
  /** The rows, where they went to no sink. */
  readonly whole?: { readonly head: StatementHead; readonly body: Buffer } | undefined;
  /** Set where the query read no data beside that of the known versions. */
  readonly isOfVersion?: true;
  readonly cost: Figures<QueryCost>;
  /** Before compression by the gateway. */
  readonly bytes: number;
  /** The id in ClickHouse's query log. */
  readonly queryId: string;
}

/** Runs a statement in its slot. */
export type RunScheduledStatement = (
  request: Omit<StatementRequest, 'takeTurn'>,
) => Promise<StatementOutcome & { readonly waitingMs: number }>;

/** Runs a statement, and sends its rows. @throws Failure wherever not every row was sent */
export type RunStatement = (request: StatementRequest) => Promise<StatementOutcome>;

/** Returns the current time; tests replace it. */
export type Clock = () => Date;
