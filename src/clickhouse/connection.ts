import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';

/** How to reach a ClickHouse server, and as whom. */
export interface ClickHouseConnection {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

export interface ConnectOptions {
  /** Sockets open at a time; further requests wait for one. */
  readonly maxOpenConnections: number;
  /** Milliseconds after which a request is given up on the socket; the backstop behind every other limit. */
  readonly requestTimeoutMs: number;
}

/** A client of ClickHouse's HTTP interface. Its idle sockets close well before the server would close them. */
export function connectClickHouse(
  { url, username, password, database }: ClickHouseConnection,
  { maxOpenConnections, requestTimeoutMs }: ConnectOptions,
): ClickHouseClient {
  return createClient({
    url,
    database,
    // An address may bring its own; given both, the client writes to the console that it takes those of the address.
    ...(new URL(url).username === '' && { username, password }),
    application: 'querygate',
    max_open_connections: maxOpenConnections,
    request_timeout: requestTimeoutMs,
    keep_alive: { enabled: true, idle_socket_ttl: 2000 },
    // Every error reaches the gateway's own log, with the request that it belongs to.
    log: { level: ClickHouseLogLevel.OFF },
  });
}
