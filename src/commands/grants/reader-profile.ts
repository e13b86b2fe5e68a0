import { MOST_EXPORTED } from '../../endpoint/settings-schema.js';

/** A limit in the profile of the read-only user: what a query has that sets none, and the most that it may set. */
export interface Ceiling {
  readonly name: string;
  readonly usual: number;
  readonly most: number;
}

/** Limits that no query may remove. */
export const QUERY_CEILINGS: readonly Ceiling[] = [
  { name: 'max_execution_time', usual: 60, most: MOST_EXPORTED.seconds },
  { name: 'max_memory_usage', usual: 4_000_000_000, most: 4_000_000_000 },
  { name: 'max_rows_to_read', usual: 20_000_000_000, most: 20_000_000_000 },
  { name: 'max_bytes_to_read', usual: 2_000_000_000_000, most: 2_000_000_000_000 },
];

/** Limits that ClickHouse does not send to a shard. */
export const RESULT_CEILINGS: readonly Ceiling[] = [
  { name: 'max_result_rows', usual: 1_000_000, most: MOST_EXPORTED.rows },
  { name: 'max_result_bytes', usual: 1_000_000_000, most: MOST_EXPORTED.bytes },
];

/** Settings that no query may change. */
export const CONSTANT_SETTINGS = [
  ...['result_overflow_mode', 'read_overflow_mode', 'timeout_overflow_mode'],
  ...['allow_introspection_functions', 'allow_ddl'],
];
