import Joi from 'joi';

import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../endpoint/definition.js';

/** Where ClickHouse is: a server of the operator's, or one that the gateway starts itself. */
export type ClickHouseConfig =
  | {
      readonly kind: 'external';
      readonly url: string;
      readonly username: string;
      readonly password: string;
      readonly database: string;
    }
  | { readonly kind: 'embedded'; readonly database: string; readonly demoData: boolean };

/** All that the environment decides. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly clickhouse: ClickHouseConfig;
  readonly redisUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly apiKeysFile: string | undefined;
  readonly endpointSettingsFile: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly queryTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly logLevel: string;
  readonly cache: CacheConfig;
  readonly warming: WarmingConfig;
  /** Where the operator's view listens; undefined for nowhere. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
}

export interface CacheConfig {
  readonly memoryBytes: number;
  /** Larger answers are kept in the process alone. */
  readonly maxSharedBytes: number;
  readonly keyPrefix: string;
  readonly staleIfErrorSeconds: number;
}

export interface WarmingConfig {
  readonly maxSets: number;
  readonly concurrency: number;
  /** Share of wall time that warming may spend in ClickHouse. */
  readonly budget: number;
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
  REDIS_URL?: string;
  API_KEY?: string;
  API_KEYS_FILE?: string;
  ENDPOINT_SETTINGS_FILE?: string;
  CORS_ORIGINS: string;
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
    redisUrl: variables.REDIS_URL,
    apiKey: variables.API_KEY,
    apiKeysFile: variables.API_KEYS_FILE,
    endpointSettingsFile: variables.ENDPOINT_SETTINGS_FILE,
    corsOrigins: variables.CORS_ORIGINS.split(',').flatMap((origin) => origin.trim() || []),
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
  };
}

function clickhouseConfig(variables: Variables): ClickHouseConfig {
  if (variables.CLICKHOUSE_URL === undefined) {
    // The database that the read-only user's rights are for.
    return { kind: 'embedded', database: 'logs', demoData: variables.DEMO_DATA === 'on' };
  }
  return {
    kind: 'external',
    url: variables.CLICKHOUSE_URL,
    username: variables.CLICKHOUSE_USER,
    password: variables.CLICKHOUSE_PASSWORD,
    database: variables.CLICKHOUSE_DATABASE,
  };
}
