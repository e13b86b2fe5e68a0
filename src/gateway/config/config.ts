import { existsSync } from 'node:fs';
import path from 'node:path';

import { projectFolder, projectIn, type Environment, type Project } from './project.js';
import { readServerUrls } from './server-urls.js';
import { VARIABLES, type Variables } from './variables.js';

export type { Environment } from './project.js';

/** An account of ClickHouse, the same on every server. */
export interface ClickHouseAccount {
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** Which ClickHouse to use: external servers, or an embedded one that the gateway starts. */
export type ClickHouseConfig =
  | ({
      readonly kind: 'external';
      /** URLs of equivalent servers, each of which can run every query; at least one. */
      readonly urls: readonly string[];
      /** The user that reads the versions of tables; undefined where versions are not read. */
      readonly versions: ClickHouseAccount | undefined;
      /** The user that writes the request log; undefined where the log is disabled. */
      readonly log: ClickHouseAccount | undefined;
      /** The cluster (of the server's `remote_servers`) that holds the tables; undefined for a single server. */
      readonly cluster: string | undefined;
    } & ClickHouseAccount)
  | { readonly kind: 'embedded'; readonly database: string; readonly demoData: boolean };

/** The configuration, as read from environment variables. */
export type Config = Readonly<ReturnType<typeof settingsOf>>;

/**
 * Reads the configuration from environment variables; an empty variable counts as unset. Relative paths are relative to the
 * project's folder.
 *
 * @throws Error that lists all invalid variables.
 */
export function readConfig(environment: Environment): Config {
  return configOf(readVariables(environment), projectIn(projectFolder(environment)));
}

function readVariables(environment: Environment): Variables {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = VARIABLES.validate(variables);
  if (result.error) {
    const problems = result.error.details.map(({ message }) => `  ${message}`);
    throw new Error(`Invalid environment variables:\n${problems.join('\n')}`);
  }
  if (result.value.WORKERS === 1) return result.value;
  throw new Error(
    'WORKERS above 1 is no longer supported: run several gateways that share a Redis (REDIS_URL) behind a proxy, ' +
      'with docker compose up --scale gateway=N or the unit that querygate init --deploy systemd writes',
  );
}

function configOf(variables: Variables, project: Project): Config {
  const config = settingsOf(variables, project);
  if (!config.recordsCalls || writesRequestLog(config)) return config;
  throw new Error(
    'RECORD_CALLS=on needs the request log, whose user writes the calls: set CLICKHOUSE_LOG_USER and leave REQUEST_LOG on, or RECORD_CALLS off.',
  );
}

// The return type is the declaration of the configuration.
function settingsOf(variables: Variables, project: Project) {
  const inProject = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : path.resolve(project.folder, file);
  return {
    project,
    host: variables.HOST,
    port: variables.PORT,
    /** URL of the gateway for callers, without a slash at its end; undefined where it is not configured. */
    publicUrl: variables.PUBLIC_URL,
    /** Maximum number of open connections. */
    maxConnections: variables.MAX_CONNECTIONS,
    /** Whether cache hits bypass Node's HTTP server. */
    rawHits: variables.RAW_HITS === 'on',
    dataDir: path.resolve(project.folder, variables.DATA_DIR),
    clickhouse: clickhouseConfig(variables),
    /** Whether the gateway writes the request log to an embedded ClickHouse. */
    requestLog: variables.REQUEST_LOG === 'on',
    /** Whether distinct calls are recorded, with their parameters. */
    recordsCalls: variables.RECORD_CALLS === 'on',
    redisUrl: variables.REDIS_URL,
    apiKey: variables.API_KEY,
    apiKeysFile: inProject(variables.API_KEYS_FILE),
    endpointSettingsFile: inProject(variables.ENDPOINT_SETTINGS_FILE) ?? ifExists(project.settingsFile),
    corsOrigins: listOf(variables.CORS_ORIGINS),
    /** Settings of MCP (endpoints as tools for agents), such as the bytes of rows in a result; undefined where MCP is disabled. */
    mcp: variables.MCP === 'off' ? undefined : { maxToolBytes: variables.MCP_MAX_RESULT_KB * 1024 },
    /** Format of times in responses where the caller does not choose one. */
    times: variables.RESPONSE_TIMES,
    queryTimeoutMs: variables.QUERY_TIMEOUT_SECONDS * 1000,
    /** Whether callers get a partial result where a shard is unreachable and no complete result is cached. */
    allowPartial: variables.ALLOW_PARTIAL === 'on',
    shutdownTimeoutMs: variables.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    logLevel: variables.LOG_LEVEL,
    cache: {
      memoryBytes: variables.CACHE_MEMORY_MB * 1024 * 1024,
      /** Bytes of the largest result in the shared cache; larger ones are cached in the process only. */
      maxSharedBytes: variables.CACHE_MAX_SHARED_KB * 1024,
      keyPrefix: variables.CACHE_KEY_PREFIX,
      staleIfErrorSeconds: variables.CACHE_STALE_IF_ERROR,
    },
    warming: {
      maxSets: variables.WARM_MAX_SETS,
      concurrency: variables.WARM_CONCURRENCY,
      /** Seconds in ClickHouse that warming may use for each second that passes. */
      budget: variables.WARM_BUDGET,
    },
    admin: adminConfig(variables),
    sql: sqlConfig(variables),
    tokens: tokenConfig(variables),
    links: { secret: variables.LINK_SECRET, maxLifetimeMs: variables.LINK_MAX_DAYS * 86_400_000 },
    /** IP addresses and ranges of the proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted. */
    trustProxy: listOf(variables.TRUST_PROXY),
    tracing: tracingConfig(variables),
    queue: {
      slots: variables.MAX_CONCURRENT_QUERIES,
      /** Maximum number of exports that run at a time, in addition to the queries. */
      exportSlots: variables.MAX_CONCURRENT_EXPORTS,
      maxWaiting: variables.MAX_QUEUED_QUERIES,
      maxWaitMs: variables.QUEUE_TIMEOUT_SECONDS * 1000,
    },
    /** Limits of every query. */
    queryLimits: {
      timeoutMs: variables.QUERY_TIMEOUT_SECONDS * 1000,
      maxMemoryBytes: variables.QUERY_MAX_MEMORY_BYTES,
      maxRowsToRead: variables.QUERY_MAX_ROWS_TO_READ,
      maxBytesToRead: variables.QUERY_MAX_BYTES_TO_READ,
      maxResultBytes: variables.QUERY_MAX_RESULT_BYTES,
    },
  };
}

const ifExists = (file: string): string | undefined => (existsSync(file) ? file : undefined);

const listOf = (text: string): readonly string[] => text.split(',').flatMap((item) => item.trim() || []);

/** Address of the admin API, and its host names other than its addresses and `localhost`; undefined where it is disabled. */
function adminConfig({ ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_HOSTS }: Variables) {
  return port === undefined ? undefined : { host, port, hosts: listOf(ADMIN_HOSTS) };
}

/** Address of the listener of ClickHouse clients, and the most rows of a statement's result; undefined where it is disabled. */
function sqlConfig({ SQL_HOST: host, SQL_PORT: port, SQL_MAX_ROWS: maxRows }: Variables) {
  return port === undefined ? undefined : { host, port, maxRows };
}

/** Collector of the traces; undefined where tracing is disabled. */
function tracingConfig(variables: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = variables;
  return endpoint === undefined ? undefined : { endpoint, serviceName };
}

/** How tokens are verified; undefined where tokens are not accepted. */
function tokenConfig(variables: Variables) {
  const { JWT_SECRET: secret, JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer = '' } = variables;
  if (secret === undefined && jwksUrl === undefined) return undefined;
  return { secret, jwksUrl, issuer, audience: variables.JWT_AUDIENCE };
}

function clickhouseConfig(variables: Variables): ClickHouseConfig {
  const { CLICKHOUSE_DATABASE: database } = variables;
  if (variables.CLICKHOUSE_URL === undefined) {
    return { kind: 'embedded', database, demoData: variables.DEMO_DATA === 'on' };
  }
  const account = (username: string | undefined, password: string): ClickHouseAccount | undefined =>
    username === undefined ? undefined : { database, username, password };
  return {
    kind: 'external',
    urls: readServerUrls(variables.CLICKHOUSE_URL),
    database,
    username: variables.CLICKHOUSE_USER,
    password: variables.CLICKHOUSE_PASSWORD,
    cluster: variables.CLICKHOUSE_CLUSTER,
    versions: account(variables.CLICKHOUSE_VERSIONS_USER, variables.CLICKHOUSE_VERSIONS_PASSWORD),
    log:
      variables.REQUEST_LOG === 'off'
        ? undefined
        : account(variables.CLICKHOUSE_LOG_USER, variables.CLICKHOUSE_LOG_PASSWORD),
  };
}

/** Whether the gateway writes the request log. */
export function writesRequestLog({
  clickhouse,
  requestLog,
}: Pick<Config, 'clickhouse' | 'requestLog'>): boolean {
  return clickhouse.kind === 'embedded' ? requestLog : clickhouse.log !== undefined;
}
