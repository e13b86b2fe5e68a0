import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import type { Config } from '../../gateway/config/config.js';
import { externalConnection } from './external-connection.js';
import { withOwnServer } from './own-data.js';

/**
 * Runs a task with a connection that may change data: to the first configured server that responds, else to the server with the
 * project's own data.
 */
export async function withAdminConnection<T>(
  config: Config,
  task: (connection: ClickHouseConnection) => Promise<T>,
): Promise<T> {
  const { clickhouse } = config;
  if (clickhouse.kind === 'external') return task(await externalConnection(clickhouse));
  return withOwnServer(config, ({ admin }) => task(admin));
}
