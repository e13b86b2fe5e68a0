import { connectClickHouse, type QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';

/**
 * Runs a task with a client, which is closed at its end.
 *
 * @param requestTimeoutMs milliseconds after which a request without a response fails.
 */
export async function withClient<T>(
  connection: ClickHouseConnection,
  requestTimeoutMs: number,
  task: (client: QueryClient) => Promise<T>,
): Promise<T> {
  // A statement that writes must not be sent twice, so that none may meet a connection which the server has just closed.
  const client = connectClickHouse(connection, {
    maxOpenConnections: 4,
    requestTimeoutMs,
    keepsAlive: false,
  });
  try {
    return await task(client);
  } finally {
    await client.close();
  }
}
