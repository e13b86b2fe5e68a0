import { connectClickHouse, type ClickHouseConnection } from '../../src/clickhouse/connection.js';
import type { Environment } from '../../src/config/config.js';
import { createTestDatabase, type TestDatabase } from './clickhouse.js';
import { openClusterGateway, type ClusterGateway } from './cluster-gateway.js';
import { FILL_SETTINGS, FILL_STATEMENTS } from './cluster-rows.js';
import { makeTemporaryFolder } from './made-folder.js';
import { startShardedServers, type ShardedServers } from './sharded-servers.js';

/** The same rows on a cluster of two shards and on one server, with a gateway before each. */
export interface SameRows {
  /** Of the test's own; it has the data of the shards too. */
  readonly folder: string;
  readonly cluster: ShardedServers;
  readonly alone: TestDatabase;
  readonly onCluster: ClusterGateway;
  readonly onServer: ClusterGateway;
  readonly close: () => Promise<void>;
}

/**
 * @param now of the gateways, and the newest of the rows.
 * @param environment of the gateway before the cluster, from the test's folder.
 */
export async function openSameRows(
  now: Date,
  environment: (folder: string) => Promise<Environment> = () => Promise.resolve({}),
): Promise<SameRows> {
  const clock = (): Date => now;
  const folder = await makeTemporaryFolder();
  const [cluster, alone] = await Promise.all([startShardedServers(folder.path), createTestDatabase()]);
  const [first] = cluster.shards;
  const { connection } = alone;
  await Promise.all([first.admin, connection].map((server) => fill(server, now)));
  const onCluster = await openClusterGateway(first, clock, await environment(folder.path));
  const onServer = await openClusterGateway({ ...first, admin: connection, reader: connection }, clock, {
    CLICKHOUSE_CLUSTER: '',
    CLICKHOUSE_DATABASE: alone.name,
  });
  const close = async (): Promise<void> => {
    await onCluster.close();
    await onServer.close();
    await alone.close();
    await cluster.close();
    await folder.remove();
  };
  return { folder: folder.path, cluster, alone, onCluster, onServer, close };
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
