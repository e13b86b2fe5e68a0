import Joi from 'joi';

import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../endpoint/definition.js';
import type { AdmissionConfig, CacheConfig, TokenConfig, WarmingConfig } from './parts.js';

/** A user of a ClickHouse server. */
export interface ClickHouseAccount {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** Where ClickHouse is: a server of the operator's, or one that the gateway starts itself. */
export type ClickHouseConfig =
  | ({
      readonly kind: 'external';
      /** As whom requests are written down; undefined for not at all. */
      readonly log: ClickHouseAccount | undefined;
    } & ClickHouseAccount)
  | { readonly kind: 'embedded'; readonly database: string; readonly demoData: boolean };

/** All that the environment decides. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly clickhouse: ClickHouseConfig;
  /** Whether an embedded ClickHouse is told of requests. */
  readonly requestLog: boolean;
  readonly redisUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly apiKeysFile: string | undefined;
  readonly endpointSettingsFile: string | undefined;
  readonly corsOrigins: readonly string[];
  /** How answers write times where the caller does not say. */
  readonly times: 'iso' | 'unix-micros';
  readonly queryTimeoutMs: number;
  /** What any query may cost. */
  readonly queryLimits: {
    readonly timeoutMs: number;
    readonly maxMemoryBytes: number;
    readonly maxRowsToRead: number;
    readonly maxBytesToRead: number;
    readonly maxResultBytes: number;
  };
  readonly admission: AdmissionConfig;
  /** Whose tokens are accepted; undefined for nobody's. */
  readonly tokens: TokenConfig | undefined;
  readonly links: { readonly secret: string | undefined; readonly maxLifetimeMs: number };
  /** Addresses and ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  /** Where traces go; undefined for nowhere. */
  readonly tracing: { readonly endpoint: string; readonly serviceName: string } | undefined;
  readonly shutdownTimeoutMs: number;
  readonly logLevel: string;
  readonly cache: CacheConfig;
  readonly warming: WarmingConfig;
  /** Where the operator's view listens; undefined for nowhere. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Variables {
  HOST: string;
  PORT: number;
  DATA_DIR: string;
  DEMO_DATA: 'on' | 'off';
  CLICKHOUSE_URL?: string;
  CLICKHOUSE_USER: string;
  CLICKHOUSE_PASSWORD: string;
  CLICKHOUSE_DATABASE: string;
  CLICKHOUSE_LOG_USER?: string;
  CLICKHOUSE_LOG_PASSWORD: string;
  REQUEST_LOG: 'on' | 'off';
  REDIS_URL?: string;
  API_KEY?: string;
  API_KEYS_FILE?: string;
  ENDPOINT_SETTINGS_FILE?: string;
  CORS_ORIGINS: string;
  RESPONSE_TIMES: 'iso' | 'unix-micros';
  QUERY_TIMEOUT_SECONDS: number;
  SHUTDOWN_TIMEOUT_SECONDS: number;
  LOG_LEVEL: string;
  CACHE_MEMORY_MB: number;
  CACHE_MAX_SHARED_KB: number;
  CACHE_KEY_PREFIX: string;
  CACHE_STALE_IF_ERROR: number;
  WARM_MAX_SETS: number;
  WARM_CONCURRENCY: number;
  WARM_BUDGET: number;
  ADMIN_HOST: string;
  ADMIN_PORT?: number;
  JWT_SECRET?: string;
  JWT_JWKS_URL?: string;
  JWT_ISSUER?: string;
  JWT_AUDIENCE: string;
  LINK_SECRET?: string;
  LINK_MAX_DAYS: number;
  TRUST_PROXY: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_SERVICE_NAME: string;
  MAX_CONCURRENT_QUERIES: number;
  MAX_QUEUED_QUERIES: number;
  QUEUE_TIMEOUT_SECONDS: number;
  QUERY_MAX_MEMORY_BYTES: number;
  QUERY_MAX_ROWS_TO_READ: number;
  QUERY_MAX_BYTES_TO_READ: number;
  QUERY_MAX_RESULT_BYTES: number;
}

const url = (...scheme: string[]): Joi.StringSchema => Joi.string().uri({ scheme });

/** Names, defaults and limits of the environment variables; README.md has them as a table. */
export const VARIABLES = Joi.object<Variables, true>({
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().integer().min(0).max(65_535).default(8080),
  DATA_DIR: Joi.string().default('.data'),
  DEMO_DATA: Joi.string().valid('on', 'off').default('on'),
  CLICKHOUSE_URL: url('http', 'https'),
  CLICKHOUSE_USER: Joi.string().default('default'),
  CLICKHOUSE_PASSWORD: Joi.string().allow('').default(''),
  CLICKHOUSE_DATABASE: Joi.string().default('logs'),
  CLICKHOUSE_LOG_USER: Joi.string(),
  CLICKHOUSE_LOG_PASSWORD: Joi.string().allow('').default(''),
  REQUEST_LOG: Joi.string().valid('on', 'off').default('on'),
  // Not a plain URI: Sentinels and Clusters have several hosts.
  REDIS_URL: Joi.string()
    .pattern(/^rediss?(\+sentinel|\+cluster)?:\/\/\S+$/)
    .messages({
      'string.pattern.base':
        '{#label} must begin with redis:// or rediss://, +sentinel or +cluster before the colon',
    }),
  API_KEY: Joi.string(),
  API_KEYS_FILE: Joi.string(),
  ENDPOINT_SETTINGS_FILE: Joi.string(),
  CORS_ORIGINS: Joi.string().allow('').default(''),
  RESPONSE_TIMES: Joi.string().valid('iso', 'unix-micros').default('iso'),
  QUERY_TIMEOUT_SECONDS: Joi.number().positive().max(300).default(30),
  SHUTDOWN_TIMEOUT_SECONDS: Joi.number().min(0).max(600).default(20),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
  CACHE_MEMORY_MB: Joi.number().min(1).default(64),
  CACHE_MAX_SHARED_KB: Joi.number().min(1).default(1024),
  CACHE_KEY_PREFIX: Joi.string().allow('').default('querygate:'),
  CACHE_STALE_IF_ERROR: Joi.number().integer().min(0).default(DEFAULT_STALE_IF_ERROR_SECONDS),
  WARM_MAX_SETS: Joi.number().integer().min(0).default(100),
  WARM_CONCURRENCY: Joi.number().integer().min(1).max(32).default(1),
  WARM_BUDGET: Joi.number().min(0).max(32).default(0.1),
  ADMIN_HOST: Joi.string().default('127.0.0.1'),
  ADMIN_PORT: Joi.number().integer().min(0).max(65_535),
  JWT_SECRET: Joi.string(),
  JWT_JWKS_URL: url('http', 'https'),
  JWT_ISSUER: Joi.string()
    .when('JWT_SECRET', { is: Joi.exist(), then: Joi.required() })
    .when('JWT_JWKS_URL', { is: Joi.exist(), then: Joi.required() }),
  JWT_AUDIENCE: Joi.string().default('querygate'),
  LINK_SECRET: Joi.string(),
  LINK_MAX_DAYS: Joi.number().positive().max(3650).default(90),
  TRUST_PROXY: Joi.string().allow('').default(''),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https'),
  OTEL_SERVICE_NAME: Joi.string().default('querygate'),
  MAX_CONCURRENT_QUERIES: Joi.number().integer().min(1).max(10_000).default(16),
  MAX_QUEUED_QUERIES: Joi.number().integer().min(0).max(100_000).default(1024),
  QUEUE_TIMEOUT_SECONDS: Joi.number().min(0.1).max(3600).default(10),
  QUERY_MAX_MEMORY_BYTES: Joi.number().integer().min(1).default(2_000_000_000),
  QUERY_MAX_ROWS_TO_READ: Joi.number().integer().min(1).default(10_000_000_000),
  QUERY_MAX_BYTES_TO_READ: Joi.number().integer().min(1).default(1_000_000_000_000),
  QUERY_MAX_RESULT_BYTES: Joi.number().integer().min(1).default(256_000_000),
}).prefs({ abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });

/**
 * Reads the configuration from environment variables; an empty one counts as unset.
 *
 * @throws Error listing everything that is wrong at once.
 */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = VARIABLES.validate(given);
  if (result.error) {
    const problems = result.error.details.map(({ message }) => `  ${message}`);
    throw new Error(`The environment is not as it should be:\n${problems.join('\n')}`);
  }
  const variables = result.value;
  return {
    host: variables.HOST,
    port: variables.PORT,
    dataDir: variables.DATA_DIR,
    clickhouse: clickhouseConfig(variables),
    requestLog: variables.REQUEST_LOG === 'on',
    redisUrl: variables.REDIS_URL,
    apiKey: variables.API_KEY,
    apiKeysFile: variables.API_KEYS_FILE,
    endpointSettingsFile: variables.ENDPOINT_SETTINGS_FILE,
    corsOrigins: listOf(variables.CORS_ORIGINS),
    times: variables.RESPONSE_TIMES,
    queryTimeoutMs: variables.QUERY_TIMEOUT_SECONDS * 1000,
    shutdownTimeoutMs: variables.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    logLevel: variables.LOG_LEVEL,
    cache: {
      memoryBytes: variables.CACHE_MEMORY_MB * 1024 * 1024,
      maxSharedBytes: variables.CACHE_MAX_SHARED_KB * 1024,
      keyPrefix: variables.CACHE_KEY_PREFIX,
      staleIfErrorSeconds: variables.CACHE_STALE_IF_ERROR,
    },
    warming: {
      maxSets: variables.WARM_MAX_SETS,
      concurrency: variables.WARM_CONCURRENCY,
      budget: variables.WARM_BUDGET,
    },
    admin:
      variables.ADMIN_PORT === undefined
        ? undefined
        : { host: variables.ADMIN_HOST, port: variables.ADMIN_PORT },
    tokens: tokenConfig(variables),
    links: { secret: variables.LINK_SECRET, maxLifetimeMs: variables.LINK_MAX_DAYS * 86_400_000 },
    trustProxy: listOf(variables.TRUST_PROXY),
    tracing:
      variables.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : { endpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT, serviceName: variables.OTEL_SERVICE_NAME },
    admission: {
      slots: variables.MAX_CONCURRENT_QUERIES,
      maxWaiting: variables.MAX_QUEUED_QUERIES,
      maxWaitMs: variables.QUEUE_TIMEOUT_SECONDS * 1000,
    },
    queryLimits: {
      timeoutMs: variables.QUERY_TIMEOUT_SECONDS * 1000,
      maxMemoryBytes: variables.QUERY_MAX_MEMORY_BYTES,
      maxRowsToRead: variables.QUERY_MAX_ROWS_TO_READ,
      maxBytesToRead: variables.QUERY_MAX_BYTES_TO_READ,
      maxResultBytes: variables.QUERY_MAX_RESULT_BYTES,
    },
  };
}

const listOf = (text: string): readonly string[] => text.split(',').flatMap((item) => item.trim() || []);

function tokenConfig({
  JWT_SECRET,
  JWT_JWKS_URL,
  JWT_ISSUER = '',
  JWT_AUDIENCE,
}: Variables): TokenConfig | undefined {
  if (JWT_SECRET === undefined && JWT_JWKS_URL === undefined) return undefined;
  return { secret: JWT_SECRET, jwksUrl: JWT_JWKS_URL, issuer: JWT_ISSUER, audience: JWT_AUDIENCE };
}

function clickhouseConfig(variables: Variables): ClickHouseConfig {
  if (variables.CLICKHOUSE_URL === undefined) {
    // The database that the read-only user's rights are for.
    return { kind: 'embedded', database: 'logs', demoData: variables.DEMO_DATA === 'on' };
  }
  const server = { url: variables.CLICKHOUSE_URL, database: variables.CLICKHOUSE_DATABASE };
  const { CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password } = variables;
  return {
    kind: 'external',
    ...server,
    username: variables.CLICKHOUSE_USER,
    password: variables.CLICKHOUSE_PASSWORD,
    log:
      username === undefined || variables.REQUEST_LOG === 'off'
        ? undefined
        : { ...server, username, password },
  };
}

/** Whether requests are written down in ClickHouse. */
export function keepsRequestLog({ clickhouse, requestLog }: Config): boolean {
  return clickhouse.kind === 'embedded' ? requestLog : clickhouse.log !== undefined;
}
