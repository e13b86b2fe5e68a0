import { connectClickHouse, type ClickHouseConnection, type QueryClient } from '../clickhouse/connection.js';
import { prepareDatabase, type PrepareOptions } from '../clickhouse/demo-data/prepare-database.js';
import type { ClusterOptions } from '../clickhouse/distributed-queries.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { extendReader, grantReader } from '../clickhouse/embedded/grant-reader.js';
import type { NeededGrants, Remark } from '../clickhouse/grants/needed-grants.js';
import {
  EarlierMigrations,
  rejectEarlierMigrations,
  type EarlierSchema,
} from '../clickhouse/schema/earlier-migrations.js';
import { readSchema } from '../clickhouse/schema/migration-files.js';
import type { ClickHouseConfig, Config } from '../config/config.js';
import { serverName } from '../config/server-urls.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { Logger } from '../observability/logger.js';
import type { Clock } from '../query/ports.js';

/** Connections in addition to those for queries: for sandbox checks of callers' SQL. */
const SPARE_CONNECTIONS = 8;
/** Milliseconds in addition to a query's own limit until a silent socket times out. */
const SOCKET_GRACE_MS = 5000;

/** A ClickHouse server, with a client of the read-only user. */
export interface OpenServer {
  /** Host and port. */
  readonly name: string;
  readonly url: string;
  readonly client: QueryClient;
}

/** ClickHouse, ready to serve. */
export interface OpenClickHouse {
  /** At least one. */
  readonly servers: readonly OpenServer[];
  /** Connections of a user that may write the request log, one for each server; empty if it is disabled. */
  readonly logConnections: readonly ClickHouseConnection[];
  /**
   * Gives the read-only user of an embedded server the rights that these endpoints need, before they are served. Where it
   * lacks one, the server restarts, and running queries fail.
   *
   * @returns why queries of these endpoints may be denied.
   */
  readonly prepareFor: (endpoints: readonly Endpoint[]) => Promise<readonly Remark[]>;
  /** Undefined where the servers are external. */
  readonly embedded: EmbeddedServer | undefined;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  /** The endpoints that the read-only user of an embedded server must be able to query. */
  readonly endpoints: readonly Endpoint[];
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Connects to the configured servers or, if there are none, starts an embedded server. */
export async function openClickHouse(config: Config, options: OpenOptions): Promise<OpenClickHouse> {
  const { clickhouse, project } = config;
  if (clickhouse.kind === 'external') {
    const { urls, log, username, password, database } = clickhouse;
    const { earlier } = await readSchema(project.schemaFolder);
    const servers = urls.map((url) => open({ url, username, password, database }, config));
    await rejectEarlierSchemas(servers, clickhouse, earlier);
    const logConnections = log ? urls.map((url) => ({ url, ...log })) : [];
    const external = { prepareFor: () => Promise.resolve([]), embedded: undefined };
    return { servers, logConnections, ...external, close: () => closeAll(servers) };
  }
  const server = await startEmbeddedServer(config, clickhouse, options);
  const servers = [open(server.readerConnection, config)];
  const close = async (): Promise<void> => {
    await closeAll(servers);
    await server.stop();
  };
  const { adminConnection } = server;
  const logConnections = config.requestLog ? [{ ...adminConnection, database: clickhouse.database }] : [];
  const prepareFor = async (changed: readonly Endpoint[]): Promise<readonly Remark[]> =>
    changed.length === 0 ? [] : remarksOf(await extendReader(server, project.schemaFolder, changed));
  return { servers, logConnections, prepareFor, embedded: server, close };
}

/** Starts an embedded server with the schema, the rights to query it and, if configured, demonstration data. */
async function startEmbeddedServer(
  { dataDir, project }: Config,
  { database, demoData }: Extract<ClickHouseConfig, { kind: 'embedded' }>,
  { endpoints, logger, clock }: OpenOptions,
): Promise<EmbeddedServer> {
  const server = await EmbeddedServer.start({
    dataDir,
    database,
    onCrash: (lastWords) => {
      logger.error('the embedded ClickHouse exited and is restarted', { lastWords });
    },
  });
  try {
    const { schemaFolder, demoFolder } = project;
    const demo = demoData ? { folder: demoFolder, upTo: clock() } : undefined;
    await prepare(server.adminConnection, { dataDir, schemaFolder, demo }, logger);
    warnOfGrants(remarksOf(await grantReader(server, schemaFolder, endpoints)), logger);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const remarksOf = ({ problems, warnings }: NeededGrants): readonly Remark[] => [...problems, ...warnings];

/** Logs why queries on the embedded server may be denied. */
export function warnOfGrants(remarks: readonly Remark[], logger: Logger): void {
  for (const { endpoint, text: problem } of remarks) {
    logger.warn('the embedded ClickHouse may deny the queries of an endpoint', { endpoint, problem });
  }
}

/** How queries use the configured cluster, if there is one. */
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

/** Milliseconds after which the check skips a server; `migrate`, which precedes each new release, never skips it. */
const CHECK_MS = 1000;

/** @throws EarlierMigrations if a server has tables of an earlier schema. */
async function rejectEarlierSchemas(
  servers: readonly OpenServer[],
  { database, cluster }: Extract<ClickHouseConfig, { kind: 'external' }>,
  earlier: EarlierSchema | undefined,
): Promise<void> {
  const target = { database, isCluster: cluster !== undefined, earlier };
  const checks = servers.map(({ client }) =>
    rejectEarlierMigrations(client, target, AbortSignal.timeout(CHECK_MS)),
  );
  for (const { reason } of await Promise.allSettled(checks).then(rejected)) {
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
  options: Pick<PrepareOptions, 'dataDir' | 'schemaFolder' | 'demo'>,
  logger: Logger,
): Promise<void> {
  await prepareDatabase(connection, {
    ...options,
    // With much data a migration takes minutes: the log should explain the slow start.
    onApplied: (file, ms) => {
      const log = ms < SLOW_MIGRATION_MS ? logger.debug : logger.info;
      log.call(logger, 'schema applied', { file, ms: Math.round(ms) });
    },
    onFilled: (ms) => {
      logger.info('demonstration data created', { ms: Math.round(ms) });
    },
  });
}
