import type { ClickHouseConnection } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { findRunningServer } from '../clickhouse/embedded/running-server.js';
import type { Config } from '../config/config.js';
import { externalConnection } from '../server/external-connection.js';

/**
 * Runs a task with a connection that may change data: to the first configured server that responds; else to the embedded
 * server of a gateway that uses the same data folder; else to an embedded server that runs during the task.
 */
export async function withAdminConnection<T>(
  { clickhouse, dataDir }: Config,
  task: (connection: ClickHouseConnection) => Promise<T>,
): Promise<T> {
  if (clickhouse.kind === 'external') return task(await externalConnection(clickhouse));
  const { database } = clickhouse;
  const running = await findRunningServer(dataDir);
  if (running) return task({ ...running, database });
  const server = await EmbeddedServer.start({
    dataDir,
    database,
    onCrash: () => undefined, // The task's requests fail and report it.
  });
  try {
    return await task(server.adminConnection);
  } finally {
    await server.stop();
  }
}
