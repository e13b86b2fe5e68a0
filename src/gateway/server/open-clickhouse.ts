import { connectClickHouse, type QueryClient } from '../clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../clickhouse/connection.js';
import type { ClusterOptions } from '../clickhouse/query-settings.js';
import type { ClickHouseConfig, Config } from '../config/config.js';
import { serverName } from '../config/server-urls.js';
import { statementSlots } from './open-scheduler.js';
import type { OwnServer, OwnServerOptions } from './own-server.js';

/** Connections in addition to those for queries: for sandbox checks of callers' SQL. */
const SPARE_CONNECTIONS = 8;
/** Milliseconds after a query's own time limit until a silent socket times out. */
const SOCKET_GRACE_MS = 5000;

/** A ClickHouse server, with a client of the read-only user. */
export interface OpenServer {
  /** Name of the server: host and port. */
  readonly name: string;
  readonly url: string;
  readonly client: QueryClient;
}

/** Open connections to ClickHouse. */
export interface OpenClickHouse {
  /** The servers that run queries; at least one. */
  readonly servers: readonly OpenServer[];
  /** Connections of the user that writes the request log, one for each server; empty if the log is disabled. */
  readonly logConnections: readonly ClickHouseConnection[];
  /** The connection of the user that reads the versions of tables, or why there is none. */
  readonly versions: ClickHouseConnection | { readonly reason: string };
  /** The embedded server; undefined where the servers are external. */
  readonly own: OwnServer | undefined;
  readonly close: () => Promise<void>;
}

/** Connects to the configured servers. Without any, starts an embedded server. */
export async function openClickHouse(config: Config, options: OwnServerOptions): Promise<OpenClickHouse> {
  const { clickhouse } = config;
  if (clickhouse.kind === 'external') {
    const { urls, log, username, password, database } = clickhouse;
    const servers = urls.map((url) => open({ url, username, password, database }, config));
    const logConnections = log ? urls.map((url) => ({ url, ...log })) : [];
    const versions = versionsConnection(clickhouse);
    return { servers, logConnections, versions, own: undefined, close: () => closeAll(servers) };
  }
  // The code of the embedded server is loaded only where it is needed.
  // eslint-disable-next-line querygate/zones
  const { openOwnServer } = await import('../../commands/embedded/open-own-server.js');
  const own = await openOwnServer(config, clickhouse, options);
  const servers = [open(own.readerConnection, config)];
  const close = async (): Promise<void> => {
    await closeAll(servers);
    await own.stop();
  };
  const logConnections = config.requestLog ? [{ ...own.adminConnection, database: clickhouse.database }] : [];
  const versions = { ...own.adminConnection, database: clickhouse.database };
  return { servers, logConnections, versions, own, close };
}

/** The connection for versions. It needs a single server, because the version of a table differs between servers. */
export function versionsConnection({
  urls,
  cluster,
  versions,
}: Extract<ClickHouseConfig, { kind: 'external' }>): OpenClickHouse['versions'] {
  const [url, second] = urls;
  if (cluster !== undefined) return { reason: 'CLICKHOUSE_CLUSTER names a cluster' };
  if (url === undefined || second !== undefined) return { reason: 'CLICKHOUSE_URL names several servers' };
  return versions ? { url, ...versions } : { reason: 'CLICKHOUSE_VERSIONS_USER is not set' };
}

/** How queries use the configured cluster. */
export function clusterOptions({ clickhouse, allowPartial }: Config): ClusterOptions {
  const isCluster = clickhouse.kind === 'external' && clickhouse.cluster !== undefined;
  return { skipsShards: isCluster, allowsPartial: allowPartial };
}

function open(connection: ClickHouseConnection, config: Config): OpenServer {
  const { queryTimeoutMs, queue } = config;
  const client = connectClickHouse(connection, {
    maxOpenConnections: queue.slots + queue.exportSlots + statementSlots(config) + SPARE_CONNECTIONS,
    requestTimeoutMs: queryTimeoutMs + SOCKET_GRACE_MS,
  });
  return { name: serverName(connection.url), url: connection.url, client };
}

async function closeAll(servers: readonly OpenServer[]): Promise<void> {
  await Promise.all(servers.map(({ client }) => client.close()));
}
