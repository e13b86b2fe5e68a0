import type { ClickHouseSettings } from '@clickhouse/client';

import { hasSecretValue, type BoundQuery } from '../../endpoint/bind.js';
import type { QueryLimits } from '../../endpoint/definition.js';

/** Settings of one query. If two layers have the same setting, the later layer applies. */
export type SettingLayers = readonly (Readonly<Record<string, unknown>> | undefined)[];

/** All layers in one object, in the form of the ClickHouse client. */
export function merged(layers: SettingLayers): ClickHouseSettings {
  return Object.assign({}, ...layers) as ClickHouseSettings;
}

/** Limits of all queries. An endpoint can only narrow them. */
export interface RunnerLimits extends Omit<QueryLimits, 'timeoutSeconds'> {
  readonly timeoutMs: number;
}

/**
 * Settings of every query. `readonly` is a second barrier behind the grants of the ClickHouse user, and allows ClickHouse to cancel the
 * query of a disconnected client.
 */
const SAFETY_SETTINGS: ClickHouseSettings = {
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  http_write_exception_in_output_format: 0,
  session_timezone: 'UTC',
};

/**
 * Settings of a query with a secret value. ClickHouse writes bound values into the text that it logs. Four characters hold at most a
 * keyword, and the rest of the log record stays, so that operators find the request.
 */
const SECRET_SETTINGS: ClickHouseSettings = { ...SAFETY_SETTINGS, log_queries_cut_to_length: '4' };

/** Settings of every query that keep it harmless, and its values out of logs. */
export function safetySettings(query: BoundQuery): ClickHouseSettings {
  return hasSecretValue(query) ? SECRET_SETTINGS : SAFETY_SETTINGS;
}

/**
 * Additional settings of a query with a caller's own SQL. Names keep the meaning that they had in the sandbox check, and the caller's order
 * is preserved. No filter of the caller becomes a PREWHERE, in case such a filter ever passes the barrier around the named parts.
 */
export const SANDBOX_SETTINGS: ClickHouseSettings = {
  allow_experimental_analyzer: 1,
  enable_global_with_statement: 1,
  query_plan_remove_redundant_sorting: 0,
  // Joins run as written. ClickHouse would order them by estimated rows, including other tenants'. That order decides whether a side that
  // throws is read at all.
  query_plan_join_swap_table: 'false',
  query_plan_optimize_join_order_limit: '0',
  optimize_move_to_prewhere: 0,
  max_parser_depth: '500',
  max_ast_depth: '300',
  max_ast_elements: '20000',
  max_temporary_columns: '5000',
  // ClickHouse cancels a query only between two blocks, and a large block of a join takes seconds.
  max_block_size: '8192',
  max_joined_block_size_rows: '8192',
};

const SETTING_BY_LIMIT = {
  maxMemoryBytes: 'max_memory_usage',
  maxRowsToRead: 'max_rows_to_read',
  maxBytesToRead: 'max_bytes_to_read',
  maxResultBytes: 'max_result_bytes',
} as const satisfies Readonly<Record<keyof Omit<RunnerLimits, 'timeoutMs'>, keyof ClickHouseSettings>>;

const LIMIT_NAMES = Object.keys(SETTING_BY_LIMIT) as readonly (keyof typeof SETTING_BY_LIMIT)[];

/** Limits of all queries, narrowed by those of an endpoint. */
export function narrowLimits(maxLimits: RunnerLimits, endpointLimits: QueryLimits | undefined): RunnerLimits {
  if (!endpointLimits) return maxLimits;
  const lower = LIMIT_NAMES.map(
    (name) => [name, Math.min(maxLimits[name] ?? Infinity, endpointLimits[name] ?? Infinity)] as const,
  );
  return {
    timeoutMs: Math.min(maxLimits.timeoutMs, (endpointLimits.timeoutSeconds ?? Infinity) * 1000),
    ...Object.fromEntries(lower.filter(([, ceiling]) => ceiling !== Infinity)),
  };
}

/** Minimum time limit that the profile of `querygate grants` allows, in milliseconds, because 0 would mean no limit. */
export const LEAST_LIMIT_MS = 1000;

/**
 * Settings with which ClickHouse enforces limits. A query with less than a second left is ended by the gateway itself.
 *
 * @param timeoutMs rest of the time limit
 */
export function limitSettings(limits: RunnerLimits, timeoutMs: number): ClickHouseSettings {
  const settings: ClickHouseSettings = { max_execution_time: Math.max(timeoutMs, LEAST_LIMIT_MS) / 1000 };
  for (const name of LIMIT_NAMES) {
    const ceiling = limits[name];
    if (ceiling !== undefined) settings[SETTING_BY_LIMIT[name]] = String(ceiling);
  }
  return settings;
}

/**
 * Minimum size of the response buffer, in ClickHouse and in the gateway. A narrower limit applies to the values of a result, whose text can
 * be several times as long.
 */
const MIN_RESPONSE_BYTES = 32 * 1024 * 1024;

/** Maximum size of one response in the gateway's memory, in bytes. */
export function maxResponseBytes({ maxResultBytes = 0 }: Pick<RunnerLimits, 'maxResultBytes'>): number {
  return Math.max(MIN_RESPONSE_BYTES, maxResultBytes);
}

/** Options for queries on a cluster. They have no effect on a single server. */
export interface ClusterOptions {
  /** Whether the sharding keys are reliable, so that ClickHouse may skip shards. */
  readonly skipsShards?: boolean;
  /** Whether callers get a partial result, marked as such, when a shard is unreachable. */
  readonly allowsPartial?: boolean;
}

/**
 * Settings of every query on Distributed tables, without effect on others. They make an unreachable shard an error, regardless of the
 * user's profile. The same applies to a frozen shard, which sends no handshake or packet within the timeouts. A subquery in a caller's own
 * SQL runs once, over all shards.
 */
const ALL_SHARDS: ClickHouseSettings = {
  skip_unavailable_shards: 0,
  distributed_product_mode: 'global',
  // A replica that lags by minutes would return an incomplete result, so it is rejected.
  max_replica_delay_for_distributed_queries: '300',
  fallback_to_stale_replicas_for_distributed_queries: 0,
  handshake_timeout_ms: 1000,
  receive_timeout: 10,
};

/** Settings of a query that fails if a shard is unreachable. */
export function distributedSettings({ skipsShards = false }: ClusterOptions): ClickHouseSettings {
  return skipsShards ? { ...ALL_SHARDS, optimize_skip_unused_shards: 1 } : ALL_SHARDS;
}
