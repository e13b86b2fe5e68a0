import type { BackgroundQuery } from '../query/ports.js';

/** A row of `gateway_requests`. Texts are empty, and numbers 0, where the request has no such value. */
export interface RequestRecord {
  /** End of the response; ISO 8601. */
  readonly timestamp: string;
  /** As in `X-Request-Id`. */
  readonly request_id: string;
  /** Id in `system.query_log` of the query that this request caused. */
  readonly query_id: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Digest of the endpoint's definition. */
  readonly definition: string;
  /** Digest of the endpoint query: equal queries share one cache entry. */
  readonly parameters: string;
  /** Name of the principal: a key's name, or `jwt:` and a token's subject. */
  readonly key_name: string;
  /** HTTP status; 499: client disconnected. */
  readonly status: number;
  /** Code of the failure, or SHARD_UNREACHABLE for a partial result; empty for a success. */
  readonly code: string;
  /** HIT, MISS, PARTIAL, STALE or BYPASS; empty without a result. */
  readonly cache: string;
  /** Rows of the result. */
  readonly row_count: number;
  /** Rows that the query read, if this request caused it. */
  readonly rows_read: number;
  /** Bytes that the query read, if this request caused it. */
  readonly bytes_read: number;
  /** From the parsed request headers to the end of the response. */
  readonly total_ms: number;
  /** Of `total_ms`: in the query queue. */
  readonly waiting_ms: number;
  /** Of `total_ms`: in ClickHouse. */
  readonly clickhouse_ms: number;
  /** What the row is of: a request, or a query for which no caller waits. */
  readonly purpose: 'call' | BackgroundQuery['purpose'];
  /** Bytes of the response, with its headers; where it was compressed, of what was sent. */
  readonly bytes_sent: number;
  /** Of the rows, bytes and milliseconds of a query that several callers waited for, the share of this request. */
  readonly charged_rows: number;
  readonly charged_bytes: number;
  readonly charged_ms: number;
  /** What the queries of kept pieces had read, which this request did not read again. */
  readonly saved_rows: number;
  readonly saved_bytes: number;
}

/** The columns of {@link lineOf}. */
export const RECORD_COLUMNS = [
  ...(['timestamp', 'request_id', 'query_id', 'endpoint', 'definition', 'parameters', 'key_name'] as const),
  ...(['status', 'code', 'cache', 'row_count', 'rows_read', 'bytes_read'] as const),
  ...(['total_ms', 'waiting_ms', 'clickhouse_ms', 'purpose', 'bytes_sent'] as const),
  ...(['charged_rows', 'charged_bytes', 'charged_ms', 'saved_rows', 'saved_bytes'] as const),
] satisfies readonly (keyof RequestRecord)[];

/**
 * A record as a line of ClickHouse's format TabSeparated, with its line break: a third of the bytes of JSON. No value contains
 * what the format escapes: all texts are names, ids and digests. A loop over the columns would take three times as long.
 */
export function lineOf(record: RequestRecord): string {
  const { timestamp, request_id, query_id, endpoint, definition, parameters } = record;
  const { status, code, cache, row_count, rows_read, bytes_read } = record;
  return (
    `${timestamp}\t${request_id}\t${query_id}\t${endpoint}\t${definition}\t${parameters}\t${record.key_name}\t` +
    `${status}\t${code}\t${cache}\t${row_count}\t${rows_read}\t${bytes_read}\t` +
    `${record.total_ms}\t${record.waiting_ms}\t${record.clickhouse_ms}\t${record.purpose}\t${record.bytes_sent}\t` +
    `${record.charged_rows}\t${record.charged_bytes}\t${record.charged_ms}\t` +
    `${record.saved_rows}\t${record.saved_bytes}\n`
  );
}
