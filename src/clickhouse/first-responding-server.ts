import type { ClickHouseConnection } from './connection.js';
import { createPing } from './ping.js';

const PING_MS = 2000;

/**
 * The first of several servers that answers a ping, each being asked when those before it did not. One alone is not
 * asked: what is done there fails with the reason.
 *
 * @throws Error where none answers.
 */
export async function firstRespondingServer(
  connections: readonly ClickHouseConnection[],
): Promise<ClickHouseConnection> {
  const [only, ...others] = connections;
  if (only && others.length === 0) return only;
  for (const connection of connections) {
    const answers = await createPing(connection.url)(AbortSignal.timeout(PING_MS)).catch(() => false);
    if (answers) return connection;
  }
  throw new Error(
    `None of the ${connections.length} servers in CLICKHOUSE_URL answers. Are they up, and can this machine reach them?`,
  );
}
