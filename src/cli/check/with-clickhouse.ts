import type { ClickHouseConnection } from '../../clickhouse/connection.js';
import { prepareDatabase } from '../../clickhouse/demo-data/prepare-database.js';
import { grantReader } from '../../clickhouse/embedded/grant-reader.js';
import type { NeededGrants } from '../../clickhouse/grants/needed-grants.js';
import type { Config } from '../../config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { externalConnection } from '../../server/external-connection.js';
import { interruptible } from '../run-command.js';
import { withTemporaryServer } from '../temporary-server.js';

/**
 * Runs a task on the first configured server that responds; else on a temporary server with demonstration data, whose reader
 * has exactly the grants that the endpoints need.
 */
export async function withClickHouse<T>(
  { clickhouse, project }: Config,
  endpoints: readonly Endpoint[],
  signal: AbortSignal,
  task: (connection: ClickHouseConnection, needed?: NeededGrants) => Promise<T>,
): Promise<T> {
  if (clickhouse.kind === 'external') {
    return interruptible(signal, async () => task(await externalConnection(clickhouse)));
  }
  return withTemporaryServer(clickhouse.database, signal, async (server) => {
    const { schemaFolder, demoFolder } = project;
    await prepareDatabase(server.adminConnection, {
      schemaFolder,
      demo: { folder: demoFolder, upTo: new Date() },
    });
    const needed = await grantReader(server, schemaFolder, endpoints);
    // As the read-only user of the gateway, because its rights are checked too.
    return task(server.readerConnection, needed);
  });
}
