import type { ClickHouseSettings } from '@clickhouse/client';

import type { QueryRequest, QueryResult } from '../query/ports.js';
import { translateClickHouseError } from './translate-error.js';

/** Options for queries on a cluster; without effect on a single server. */
export interface ClusterOptions {
  /** Whether the sharding keys are reliable, so that ClickHouse may skip shards. */
  readonly skipsShards?: boolean;
  /** Whether callers get a partial result, marked as such, when a shard is unreachable. */
  readonly allowsPartial?: boolean;
}

/**
 * Settings of every query on Distributed tables; without effect on others. An unreachable shard is an error, whatever
 * the user's profile says, and so is a frozen shard: one without a handshake or a packet within the timeouts. A
 * subquery in a caller's own SQL runs once, over all shards.
 */
const ALL_SHARDS: ClickHouseSettings = {
  skip_unavailable_shards: 0,
  distributed_product_mode: 'global',
  // A replica that lags by minutes would return an incomplete result: reject it.
  max_replica_delay_for_distributed_queries: '300',
  fallback_to_stale_replicas_for_distributed_queries: 0,
  handshake_timeout_ms: 1000,
  receive_timeout: 10,
};

/** Skips unreachable shards, but requires at least one shard of the query. */
const REACHABLE_SHARDS: ClickHouseSettings = {
  skip_unavailable_shards: 1,
  max_skip_unavailable_shards_ratio: 0.999,
};

/** The settings of a query that fails where a shard is unreachable. */
export function distributedSettings({ skipsShards = false }: ClusterOptions): ClickHouseSettings {
  return skipsShards ? { ...ALL_SHARDS, optimize_skip_unused_shards: 1 } : ALL_SHARDS;
}

/** Runs a query with additional settings. */
export type RunWith = (settings: ClickHouseSettings) => Promise<QueryResult>;

/**
 * Runs a query on all its shards. If a shard is unreachable and callers accept partial results, reruns the query on
 * the others and marks the result as partial. Warming has no waiting caller and always requires the complete result.
 */
export async function runDistributed(
  run: RunWith,
  clusterOptions: ClusterOptions,
  { requester, signal }: QueryRequest,
): Promise<QueryResult> {
  const settings = distributedSettings(clusterOptions);
  try {
    return await run(settings);
  } catch (error) {
    if (!clusterOptions.allowsPartial || requester?.priority === 'warming' || signal.aborted) throw error;
    if (translateClickHouseError(error).code !== 'SHARD_UNREACHABLE') throw error;
    return { ...(await run({ ...settings, ...REACHABLE_SHARDS })), partial: true };
  }
}
