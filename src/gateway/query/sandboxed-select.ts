import type { Endpoint } from '../../endpoint/endpoint.js';
import { MAX_VALUE_BYTES } from '../../endpoint/parameters/parameter.js';
import type { SlotRequest } from './ports.js';
import type { SingleFlightCaller } from './single-flight.js';

/** A caller's SELECT that passed the sandbox check: it reads only the listed named parts. */
export interface SandboxedSelect {
  /** The SELECT as ClickHouse prints it, on one line without comments, so that equivalent texts become equal. */
  readonly text: string;
  /** Named parts that it reads, sorted. `result` can be one of them. */
  readonly reads: readonly string[];
}

/** Problem of a caller's SQL that shows without a parser. Undefined where there is none. */
export function problemOfSqlText(sql: string): string | undefined {
  if (sql.trim() === '') return 'must be a SELECT; it is empty';
  if (Buffer.byteLength(sql) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  // Rejects control characters, except white space and 0x80 to 0x9f, which some encodings use for text.
  if (/[^\P{Cc}\t\n\r\x80-\x9f]/u.test(sql) || /\p{Surrogate}/u.test(sql)) {
    return 'contains a character that is not text';
  }
  return undefined;
}

/**
 * Runs the sandbox check on a caller's SQL for an endpoint, on behalf of that caller.
 *
 * @param pinned names of the parameters that the caller's key pins. They decide which parts the caller may read.
 * @throws Failure INVALID_PARAMETERS with the reason, or the failure that kept ClickHouse from parsing the SQL.
 */
export type CheckSql = (
  endpoint: Endpoint,
  sql: string,
  caller: SingleFlightCaller,
  pinned: ReadonlySet<string>,
) => Promise<SandboxedSelect>;

/** An analysis with the parser of one server. The parser serves one query at a time. */
export type SqlAnalysis<T> = (parser: SqlParser, signal: AbortSignal) => Promise<T>;

/**
 * Runs an analysis of a caller's SQL under the same conditions as a query of that caller: in a slot of the queue, within the caller's
 * limits, on an available server. It charges nothing.
 *
 * @throws Failure of the limits or the queue, or the error of the analysis.
 */
export type AnalyzeSql = <T>(request: SlotRequest, analysis: SqlAnalysis<T>) => Promise<T>;

/** ClickHouse's own parser for a caller's SQL. It does not execute the SQL. */
export interface SqlParser {
  /**
   * Formats the only statement in the text on one line.
   *
   * @param size 'long' for a text that a tool wrote, which may have up to 256 KiB
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
  /** Names, in lower case, of ClickHouse's functions whose results depend on more than their arguments. */
  readonly varyingFunctions: (signal: AbortSignal) => Promise<readonly string[]>;
  /**
   * Only column of the result of a query that the gateway or an author wrote.
   *
   * @throws Failure INVALID_PARAMETERS if the text is not a query.
   */
  readonly lines: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
}
