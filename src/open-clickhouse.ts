import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse, type ClickHouseConnection } from './clickhouse/connection.js';
import type { ClusterManners } from './clickhouse/distributed-queries.js';
import { EmbeddedServer } from './clickhouse/embedded/embedded-server.js';
import { migrate } from './clickhouse/schema/migrate.js';
import { readMigrations } from './clickhouse/schema/migration-files.js';
import type { Config } from './config/config.js';
import { fillDemoData } from './demo-data/fill-demo-data.js';
import type { Clock } from './execution/ports.js';
import type { Logger } from './log/logger.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from './project-files.js';

/** Connections beside those of queries: for judging callers' SQL. */
const SPARE_CONNECTIONS = 8;
/** How much longer than a query's own limit the socket may stay silent. */
const SOCKET_GRACE_MS = 5000;

/** ClickHouse, ready to serve. */
export interface OpenClickHouse {
  /** For serving, with as few rights as the set-up gives. */
  readonly client: ClickHouseClient;
  readonly url: string;
  /** Of a user that may write down requests; undefined where they are not. */
  readonly logConnection: ClickHouseConnection | undefined;
  readonly close: () => Promise<void>;
}

/** Connects to the configured server; without one starts an embedded server, with the schema and demonstration data. */
export async function openClickHouse(config: Config, logger: Logger, clock: Clock): Promise<OpenClickHouse> {
  const { clickhouse } = config;
  if (clickhouse.kind === 'external') {
    const client = connect(clickhouse, config);
    const { url, log } = clickhouse;
    return { client, url, logConnection: log, close: () => client.close() };
  }
  const server = await EmbeddedServer.start({
    dataDir: config.dataDir,
    database: clickhouse.database,
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => {
      logger.error('the embedded ClickHouse ended and is started again', { lastWords });
    },
  });
  try {
    await prepare(server.adminConnection, clickhouse.demoData, logger, clock);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const client = connect(server.readerConnection, config);
  const close = async (): Promise<void> => {
    await client.close();
    await server.stop();
  };
  const logConnection = config.requestLog
    ? { ...server.adminConnection, database: clickhouse.database }
    : undefined;
  return { client, url: server.readerConnection.url, logConnection, close };
}

/** How queries go about the configured cluster, if there is one. */
export function clusterManners({ clickhouse, allowPartial }: Config): ClusterManners {
  const isCluster = clickhouse.kind === 'external' && clickhouse.cluster !== undefined;
  return { skipsShards: isCluster, allowsPartial: allowPartial };
}

function connect(connection: ClickHouseConnection, { queryTimeoutMs, admission }: Config): ClickHouseClient {
  return connectClickHouse(connection, {
    maxOpenConnections: admission.slots + SPARE_CONNECTIONS,
    requestTimeoutMs: queryTimeoutMs + SOCKET_GRACE_MS,
  });
}

async function prepare(
  connection: ClickHouseConnection,
  demoData: boolean,
  logger: Logger,
  clock: Clock,
): Promise<void> {
  const applied = await migrate({ connection, migrations: await readMigrations(SCHEMA_FOLDER) });
  if (applied.length > 0) logger.debug('schema applied', { files: applied });
  if (!demoData) return;
  const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 120_000 });
  try {
    const started = performance.now();
    const filled = await fillDemoData(client, clock());
    if (filled) logger.info('demonstration data made', { ms: Math.round(performance.now() - started) });
  } finally {
    await client.close();
  }
}
