import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

/** Errors of sockets and name resolution that prove that nothing was sent. */
const NOTHING_SENT: readonly unknown[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
];

/**
 * Runs tasks that must not run twice on one of several servers. A task runs on the server of the last success. It moves on to the next
 * server only if nothing can have been sent. After any other connection failure the next task starts with the next server.
 *
 * @param clients at least one.
 */
export function withFailover<Client extends ClickHouseClient>(
  clients: readonly Client[],
): <T>(task: (client: Client) => Promise<T>) => Promise<T> {
  let current = 0;
  return async (task) => {
    for (let remaining = clients.length; ; remaining -= 1) {
      const client = clients[current];
      if (!client) throw new Error('at least one server is required');
      try {
        return await task(client);
      } catch (error) {
        // An error of ClickHouse itself would be the same on another server.
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
