import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
} from '@clickhouse/client';

import type { ClickHouseConnection } from './connection.js';
import { openQueryConnections, type QueryConnections } from './query-connections.js';

export interface ConnectOptions {
  /** Maximum number of open sockets; further requests wait. */
  readonly maxOpenConnections: number;
  /** Socket timeout in milliseconds: the backstop behind every other time limit. */
  readonly requestTimeoutMs: number;
  /** Whether connections stay open between requests; the default. */
  readonly keepsAlive?: boolean;
  /** Settings of each statement. */
  readonly settings?: ClickHouseSettings;
}

/** A client that sends the queries of endpoints over connections of its own. */
export type QueryClient = ClickHouseClient & {
  readonly sendQuery: QueryConnections['send'];
  readonly openQuery: QueryConnections['open'];
};

/** Creates a client of ClickHouse's HTTP interface. It closes idle sockets well before the server does. */
export function connectClickHouse(
  connection: ClickHouseConnection,
  { maxOpenConnections, requestTimeoutMs, keepsAlive = true, settings = {} }: ConnectOptions,
): QueryClient {
  const { url, username, password, database } = connection;
  const client = createClient({
    url,
    database,
    // A URL may contain the user and password; with both forms, the client prints a warning to the console.
    ...(new URL(url).username === '' && { username, password }),
    application: 'querygate',
    max_open_connections: maxOpenConnections,
    request_timeout: requestTimeoutMs,
    clickhouse_settings: settings,
    keep_alive: { enabled: keepsAlive, idle_socket_ttl: 2000 },
    // The gateway logs every error itself, with its request.
    log: { level: ClickHouseLogLevel.OFF },
  });
  const connections = openQueryConnections(connection, maxOpenConnections);
  const closeClient = client.close.bind(client);
  return Object.assign(client, {
    sendQuery: connections.send,
    openQuery: connections.open,
    close: async () => {
      connections.close();
      await closeClient();
    },
  });
}
