import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
  type QueryParams,
} from '@clickhouse/client';

import type { ClickHouseConnection } from './connection.js';
import { openQueryConnections, type QueryConnections, type ReadyQuery } from './query-connections.js';
import { SettingOverrides } from './setting-overrides.js';

export interface ConnectOptions {
  /** Maximum number of open sockets. Further requests wait. */
  readonly maxOpenConnections: number;
  /** Socket timeout in milliseconds, which applies if every other time limit fails. */
  readonly requestTimeoutMs: number;
  /** Whether connections stay open between requests. The default is true. */
  readonly keepsAlive?: boolean;
  /** Settings of each statement. */
  readonly settings?: ClickHouseSettings;
}

/** A client that sends the queries of endpoints over separate connections. */
export type QueryClient = ClickHouseClient & {
  readonly sendQuery: QueryConnections['send'];
  readonly openQuery: QueryConnections['open'];
  /** Setting overrides that `sendQuery`, `openQuery` and `query` send in addition to their own settings. */
  readonly overrides: SettingOverrides;
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
    // A URL may contain the user and password. With both forms, the client prints a warning to the console.
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
  const overrides = new SettingOverrides(connections.send);
  /** Adds the overrides to a query. A query's own settings take precedence. Queries get overrides only here. */
  const overridden = async <Q extends ReadyQuery>(query: Q): Promise<Q> => {
    await overrides.ready(query.signal);
    const { search } = overrides;
    return search === '' ? query : Object.assign({}, query, { search: `${search}${query.search}` });
  };
  const { query, close } = bound(client);
  return Object.assign(client, {
    overrides,
    query: async (params: QueryParams) => {
      await overrides.ready(params.abort_signal);
      const clickhouse_settings = { ...overrides.settings, ...settings, ...params.clickhouse_settings };
      return query({ ...params, clickhouse_settings });
    },
    sendQuery: async (ready: Parameters<QueryConnections['send']>[0]) =>
      connections.send(await overridden(ready)),
    openQuery: async (ready: ReadyQuery) => connections.open(await overridden(ready)),
    close: async () => {
      overrides.close();
      connections.close();
      await close();
    },
  });
}

/** The client's own methods, which {@link connectClickHouse} replaces. */
const bound = (client: ClickHouseClient): Pick<ClickHouseClient, 'query' | 'close'> => ({
  query: client.query.bind(client),
  close: client.close.bind(client),
});
