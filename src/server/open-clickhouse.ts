import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { prepareDatabase, type PrepareOptions } from '../clickhouse/demo-data/prepare-database.js';
import type { ClusterOptions } from '../clickhouse/distributed-queries.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { EarlierMigrations, refuseEarlierMigrations } from '../clickhouse/schema/earlier-migrations.js';
import type { ClickHouseConfig, Config } from '../config/config.js';
import { serverName } from '../config/server-urls.js';
import type { Logger } from '../observability/logger.js';
import { READER_USER_FILE } from '../project-files.js';
import type { Clock } from '../query/ports.js';

/** Connections beside those of queries: for judging callers' SQL. */
const SPARE_CONNECTIONS = 8;
/** How much longer than a query's own limit the socket may stay silent. */
const SOCKET_GRACE_MS = 5000;

/** A server to ask, with as few rights as the set-up gives. */
export interface OpenServer {
  /** Host and port. */
  readonly name: string;
  readonly url: string;
  readonly client: ClickHouseClient;
}

/** ClickHouse, ready to serve. */
export interface OpenClickHouse {
  /** One at least. */
  readonly servers: readonly OpenServer[];
  /** Of a user that may write down requests, on each server; none where they are not. */
  readonly logConnections: readonly ClickHouseConnection[];
  readonly close: () => Promise<void>;
}

/** Connects to the configured servers; without any starts an embedded server, with the schema and demonstration data. */
export async function openClickHouse(config: Config, logger: Logger, clock: Clock): Promise<OpenClickHouse> {
  const { clickhouse } = config;
  if (clickhouse.kind === 'external') {
    const { urls, log, username, password, database } = clickhouse;
    const servers = urls.map((url) => open({ url, username, password, database }, config));
    await refuseEarlierSchemas(servers, clickhouse);
    const logConnections = log ? urls.map((url) => ({ url, ...log })) : [];
    return { servers, logConnections, close: () => closeAll(servers) };
  }
  const server = await startEmbeddedServer(config, clickhouse, logger, clock);
  const servers = [open(server.readerConnection, config)];
  const close = async (): Promise<void> => {
    await closeAll(servers);
    await server.stop();
  };
  const { adminConnection } = server;
  const logConnections = config.requestLog ? [{ ...adminConnection, database: clickhouse.database }] : [];
  return { servers, logConnections, close };
}

/** Starts a server of the gateway's own, with the schema and, where it is wanted, demonstration data. */
async function startEmbeddedServer(
  { dataDir }: Config,
  { database, demoData }: Extract<ClickHouseConfig, { kind: 'embedded' }>,
  logger: Logger,
  clock: Clock,
): Promise<EmbeddedServer> {
  const server = await EmbeddedServer.start({
    dataDir,
    database,
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => {
      logger.error('the embedded ClickHouse ended and is started again', { lastWords });
    },
  });
  try {
    await prepare(server.adminConnection, { dataDir, demoDataUpTo: demoData ? clock() : undefined }, logger);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** How queries go about the configured cluster, if there is one. */
export function clusterOptions({ clickhouse, allowPartial }: Config): ClusterOptions {
  const isCluster = clickhouse.kind === 'external' && clickhouse.cluster !== undefined;
  return { skipsShards: isCluster, allowsPartial: allowPartial };
}

function open(connection: ClickHouseConnection, { queryTimeoutMs, queue: admission }: Config): OpenServer {
  const client = connectClickHouse(connection, {
    maxOpenConnections: admission.slots + SPARE_CONNECTIONS,
    requestTimeoutMs: queryTimeoutMs + SOCKET_GRACE_MS,
  });
  return { name: serverName(connection.url), url: connection.url, client };
}

async function closeAll(servers: readonly OpenServer[]): Promise<void> {
  await Promise.all(servers.map(({ client }) => client.close()));
}

/** A server that does not respond so soon is not looked at; `migrate`, which comes before a new release, refuses always. */
const LOOK_MS = 1000;

/** @throws EarlierMigrations where a server shows that its tables are those of an earlier schema. */
async function refuseEarlierSchemas(
  servers: readonly OpenServer[],
  { database, cluster }: Extract<ClickHouseConfig, { kind: 'external' }>,
): Promise<void> {
  const place = { database, isCluster: cluster !== undefined };
  const looks = servers.map(({ client }) =>
    refuseEarlierMigrations(client, place, AbortSignal.timeout(LOOK_MS)),
  );
  for (const { reason } of await Promise.allSettled(looks).then(rejected)) {
    if (!(reason instanceof EarlierMigrations)) continue;
    await closeAll(servers);
    throw reason;
  }
}

const rejected = (results: readonly PromiseSettledResult<void>[]): readonly PromiseRejectedResult[] =>
  results.filter((result) => result.status === 'rejected');

const SLOW_MIGRATION_MS = 2000;

async function prepare(
  connection: ClickHouseConnection,
  place: Pick<PrepareOptions, 'dataDir' | 'demoDataUpTo'>,
  logger: Logger,
): Promise<void> {
  await prepareDatabase(connection, {
    ...place,
    // On much data one takes minutes: whoever waits for the start should see why.
    onApplied: (file, ms) => {
      const tell = ms < SLOW_MIGRATION_MS ? logger.debug : logger.info;
      tell.call(logger, 'schema applied', { file, ms: Math.round(ms) });
    },
    onFilled: (ms) => {
      logger.info('demonstration data made', { ms: Math.round(ms) });
    },
  });
}
