/** A row of `gateway_requests`; the comments of its columns describe the fields. */
export interface RequestRecord {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly request_id: string;
  readonly query_id: string;
  readonly endpoint: string;
  readonly definition: string;
  readonly parameters: string;
  readonly key_name: string;
  readonly status: number;
  readonly code: string;
  readonly cache: string;
  readonly row_count: number;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly total_ms: number;
  readonly waiting_ms: number;
  readonly clickhouse_ms: number;
}
