import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { createTestDatabase, type TestDatabase } from './clickhouse.js';
import { openClusterGateway, type ClusterGateway } from './cluster-gateway.js';
import { FILL_SETTINGS, FILL_STATEMENTS } from './cluster-rows.js';
import { applySchema, openSharedCluster, type ShardedServers } from './sharded-servers.js';

/** The same rows on a cluster of two shards and on one server, each with a gateway. */
export interface SameRows {
  readonly cluster: ShardedServers;
  readonly alone: TestDatabase;
  readonly onCluster: ClusterGateway;
  readonly onServer: ClusterGateway;
  readonly close: () => Promise<void>;
}

/** The database of the shared cluster that its read-only user may read; one test file uses it. */
const DATABASE = 'logs';

/** @param now time of the gateways' clocks and of the newest rows. */
export async function openSameRows(now: Date): Promise<SameRows> {
  const clock = (): Date => now;
  const [cluster, alone] = await Promise.all([openSharedCluster(DATABASE), createTestDatabase()]);
  await applySchema(cluster);
  const [first] = cluster.shards;
  const { connection } = alone;
  await Promise.all([first.admin, connection].map((server) => fill(server, now)));
  const onCluster = await openClusterGateway(first, clock);
  const onServer = await openClusterGateway({ admin: connection, reader: connection }, clock, {
    CLICKHOUSE_CLUSTER: '',
    CLICKHOUSE_DATABASE: alone.name,
  });
  const close = async (): Promise<void> => {
    await onCluster.close();
    await onServer.close();
    await alone.close();
    await cluster.close();
  };
  return { cluster, alone, onCluster, onServer, close };
}

async function fill(connection: ClickHouseConnection, now: Date): Promise<void> {
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 60_000 });
  try {
    for (const query of FILL_STATEMENTS) {
      await client.command({ query, query_params: { now }, clickhouse_settings: FILL_SETTINGS });
    }
  } finally {
    await client.close();
  }
}
