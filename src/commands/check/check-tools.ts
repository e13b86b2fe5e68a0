import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { createQueryRunner } from '../../gateway/clickhouse/query-runner.js';
import type { Config } from '../../gateway/config/config.js';
import { withClient } from '../clickhouse/with-client.js';
import { runFirstQuery } from './first-query.js';
import type { CheckTools } from './check-endpoint.js';

/** The limits of queries, as the gateway's configuration has them, and what the caller of a check decides. */
export type CheckSettings = Pick<Config, 'queryLimits' | 'queryTimeoutMs'> &
  Pick<CheckTools, 'signal' | 'writes' | 'isTemporary'>;

/**
 * Runs a task with what `checkEndpoint` needs on a server that is running.
 *
 * @throws Error where the server is unreachable or rejects the user: this is reported once, not for each endpoint.
 */
export async function withCheckTools<T>(
  connection: ClickHouseConnection,
  { queryLimits, queryTimeoutMs, signal, writes = false, isTemporary = false }: CheckSettings,
  task: (tools: CheckTools) => Promise<T>,
): Promise<T> {
  return withClient(connection, queryTimeoutMs + 5000, async (client) => {
    await runFirstQuery(client, connection.url, signal);
    const runQuery = createQueryRunner(client, queryLimits);
    return task({ client, runQuery, now: () => new Date(), signal, writes, isTemporary });
  });
}
