import type { Endpoint } from '../../endpoint/endpoint.js';
import { MAX_VALUE_BYTES } from '../../endpoint/parameters/parameter.js';
import type { SlotRequest } from './ports.js';
import type { SingleFlightCaller } from './single-flight.js';

/** A caller's SELECT that passed the sandbox check: it reads only the listed named parts. */
export interface SandboxedSelect {
  /** The SELECT as ClickHouse prints it, on one line without comments, so that equivalent texts become equal. */
  readonly text: string;
  /** The named parts that it reads, which may include `result`; sorted. */
  readonly reads: readonly string[];
}

/** What is wrong with a caller's SQL as a text, as far as that can be checked without a parser. */
export function problemOfSqlText(sql: string): string | undefined {
  if (sql.trim() === '') return 'must be a SELECT; it is empty';
  if (Buffer.byteLength(sql) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  // Control characters except white space and 0x80 to 0x9f, which some encodings use for text.
  if (/[^\P{Cc}\t\n\r\x80-\x9f]/u.test(sql) || /\p{Surrogate}/u.test(sql)) {
    return 'contains a character that is not text';
  }
  return undefined;
}

/**
 * Runs the sandbox check on a caller's SQL for an endpoint, on behalf of that caller.
 *
 * @param pinned names of the parameters that the caller's key pins: they decide which parts it may read.
 * @throws Failure INVALID_PARAMETERS with the reason, or the failure that kept ClickHouse from parsing the SQL.
 */
export type CheckSql = (
  endpoint: Endpoint,
  sql: string,
  caller: SingleFlightCaller,
  pinned: ReadonlySet<string>,
) => Promise<SandboxedSelect>;

/** Uses one server's parser, for one query at a time. */
export type SqlAnalysis<T> = (parser: SqlParser, signal: AbortSignal) => Promise<T>;

/**
 * Runs an analysis of a caller's SQL under the same conditions as a query of that caller: in a slot of the queue,
 * within its limits, on an available server. It charges nothing.
 *
 * @throws Failure of the limits or the queue, or what the analysis throws.
 */
export type AnalyzeSql = <T>(request: SlotRequest, analysis: SqlAnalysis<T>) => Promise<T>;

/** ClickHouse's own parser for a caller's SQL. It executes nothing. */
export interface SqlParser {
  /**
   * The one statement in the text, formatted on one line.
   *
   * @param size of a text that a tool wrote, which may be up to 256 KiB long
   * @throws Failure INVALID_PARAMETERS if the text is not exactly one statement.
   */
  readonly print: (sql: string, signal: AbortSignal, size?: 'long') => Promise<string>;
  /**
   * Lines of the query tree of `SELECT * FROM (text)`, before any name is resolved.
   *
   * @throws Failure INVALID_PARAMETERS if the text is not a SELECT.
   */
  readonly tree: (text: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Names of the tables that an unqualified name can mean to the gateway's user. */
  readonly tables: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Names, in lower case, of ClickHouse's functions with results that depend on more than their arguments. */
  readonly varyingFunctions: (signal: AbortSignal) => Promise<readonly string[]>;
  /**
   * What a query of the gateway or of an author returns as its only column.
   *
   * @throws Failure INVALID_PARAMETERS if the text is not a query.
   */
  readonly lines: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
}
