import type { ClickHouseSettings } from '@clickhouse/client';

import type { QueryRequest, QueryResult } from '../query/ports.js';
import { translateClickHouseError } from './translate-error.js';

/** How queries go about a cluster; nothing of it where the server is alone. */
export interface ClusterOptions {
  /** Whether rows are on the shards that the tables' sharding keys say, so that others need not be asked. */
  readonly skipsShards?: boolean;
  /** Whether callers get what is left, marked, where a shard is away. */
  readonly allowsPartial?: boolean;
}

/**
 * What every query carries, for tables that are spread over shards; of no effect on others. A shard that is away is an
 * error, whatever the profile of the user says. A subquery in a caller's own SQL is about all shards, and is asked once.
 * One that is frozen is given up: it neither greets within the one time, nor sends a sign of life within the other.
 */
const WHOLE: ClickHouseSettings = {
  skip_unavailable_shards: 0,
  distributed_product_mode: 'global',
  // A replica that is minutes behind gives fewer rows than there are: rather none.
  max_replica_delay_for_distributed_queries: '300',
  fallback_to_stale_replicas_for_distributed_queries: 0,
  handshake_timeout_ms: 1000,
  receive_timeout: 10,
};

/** Without the shards that are away; but with one of those that are asked at the least. */
const PARTIAL: ClickHouseSettings = { skip_unavailable_shards: 1, max_skip_unavailable_shards_ratio: 0.999 };

/** What a query on a cluster carries. */
function distributedSettings({ skipsShards = false }: ClusterOptions): ClickHouseSettings {
  return skipsShards ? { ...WHOLE, optimize_skip_unused_shards: 1 } : WHOLE;
}

/** Runs a query with settings beside those that all have. */
export type RunWith = (settings: ClickHouseSettings) => Promise<QueryResult>;

/**
 * Runs a query on all shards that it is about. Where one is away and callers want what is left, it is run again on the
 * others, and the result marked as partial; a refresh of the cache, for which nobody waits, wants all or nothing.
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
    return { ...(await run({ ...settings, ...PARTIAL })), partial: true };
  }
}
