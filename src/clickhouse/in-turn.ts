import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

/** Errors of sockets and of name resolution with which nothing was sent. */
const NOTHING_SENT: readonly unknown[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
];

/**
 * Runs tasks that must not be done twice on one of several servers: on the one that the last task succeeded on, and on the
 * next only where nothing can have reached it. After any other failure of the connection the following task goes to the
 * next server.
 *
 * @param clients one at least.
 */
export function inTurn(
  clients: readonly ClickHouseClient[],
): <T>(task: (client: ClickHouseClient) => Promise<T>) => Promise<T> {
  let current = 0;
  return async (task) => {
    for (let remaining = clients.length; ; remaining -= 1) {
      const client = clients[current];
      if (!client) throw new Error('no server to ask');
      try {
        return await task(client);
      } catch (error) {
        // What ClickHouse itself says, another server would say too.
        if (error instanceof ClickHouseError) throw error;
        current = (current + 1) % clients.length;
        if (remaining <= 1 || !NOTHING_SENT.includes(codeOf(error))) throw error;
      }
    }
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
