import type { ClickHouseConnection } from './connection.js';
import { createPing } from './ping.js';

const PING_MS = 2000;

/**
 * Pings servers in order and returns the first that responds. A single server is not pinged, because the operation that follows reports why
 * it fails.
 *
 * @throws Error when no server responds.
 */
export async function firstRespondingServer(
  connections: readonly ClickHouseConnection[],
): Promise<ClickHouseConnection> {
  const [only, ...others] = connections;
  if (only && others.length === 0) return only;
  for (const connection of connections) {
    const responds = await createPing(connection.url)(AbortSignal.timeout(PING_MS)).catch(() => false);
    if (responds) return connection;
  }
  throw new Error(
    `None of the ${connections.length} servers in CLICKHOUSE_URL responds. Check that they are running and reachable from this machine.`,
  );
}
