import type { Endpoint } from '../endpoint/endpoint.js';
import { MAX_VALUE_BYTES } from '../endpoint/parameters/parameter.js';
import type { SlotRequest } from './ports.js';
import type { SingleFlightCaller } from './single-flight.js';

/** A caller's SELECT that has been judged: it reads the named parts that it names, and nothing else. */
export interface SandboxedSelect {
  /** As ClickHouse prints it: one statement on one line, without comments; equal questions have equal texts. */
  readonly text: string;
  /** The named parts that it reads, `result` among them where it does; sorted. */
  readonly reads: readonly string[];
}

/** What is wrong with a caller's SQL as a text, which takes no parser to say. */
export function problemOfSqlText(sql: string): string | undefined {
  if (sql.trim() === '') return 'must be a SELECT; it is empty';
  if (Buffer.byteLength(sql) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  // Control characters but white space, and those that some encodings have between 0x80 and 0x9f.
  if (/[^\P{Cc}\t\n\r\x80-\x9f]/u.test(sql) || /\p{Surrogate}/u.test(sql)) {
    return 'holds a character that is not text';
  }
  return undefined;
}

/**
 * Judges a caller's SQL for an endpoint, on behalf of that caller.
 *
 * @throws Failure INVALID_PARAMETERS with the reason, or what kept ClickHouse from parsing it.
 */
export type CheckSql = (
  endpoint: Endpoint,
  sql: string,
  caller: SingleFlightCaller,
) => Promise<SandboxedSelect>;

/** Uses one server's parser, for one query at a time. */
export type SqlAnalysis<T> = (parser: SqlParser, signal: AbortSignal) => Promise<T>;

/**
 * Runs an analysis of a caller's SQL where and when a query of that caller's would run: in a slot of the queue, within its
 * limits, on a server that answers. It charges nothing.
 *
 * @throws Failure of the admission, or what the analysis throws.
 */
export type AnalyzeSql = <T>(request: SlotRequest, analysis: SqlAnalysis<T>) => Promise<T>;

/** What ClickHouse's own parser makes of a caller's SQL. Nothing of it is executed. */
export interface SqlParser {
  /**
   * The one statement in the text, printed anew on one line.
   *
   * @throws Failure INVALID_PARAMETERS where it is none, or more than one.
   */
  readonly print: (sql: string, signal: AbortSignal) => Promise<string>;
  /**
   * Lines of the query tree of `SELECT * FROM (text)`, before any name in it is resolved.
   *
   * @throws Failure INVALID_PARAMETERS where that is no SELECT.
   */
  readonly tree: (text: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Names of the tables that an unqualified name can mean to the gateway's user. */
  readonly tables: (signal: AbortSignal) => Promise<readonly string[]>;
}
