import Joi from 'joi';

import { MIN_SECRET_BYTES } from '../auth/secret.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../endpoint/definition.js';
import { readPublicUrl } from './public-url.js';
import { readServerUrls } from './server-urls.js';

const mayBeEmpty = (fallback: string): Joi.StringSchema => Joi.string().allow('').default(fallback);
const optional = (): Joi.StringSchema<string | undefined> => Joi.string();
const httpUrl = (): ReturnType<typeof optional> => optional().uri({ scheme: ['http', 'https'] });
const onOff = (fallback: 'on' | 'off'): Joi.StringSchema<'on' | 'off'> =>
  Joi.string<'on' | 'off'>().valid('on', 'off').default(fallback);

// The length is checked here too, so that it is reported together with the other problems.
const secret = optional().min(MIN_SECRET_BYTES, 'utf8').messages({
  'string.min': '{#label} must have at least {#limit} bytes; create one with: openssl rand -base64 32',
});

/** Names, defaults and limits of the environment variables; a test compares the documented ranges with them. */
const SCHEMAS = {
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().integer().min(0).max(65_535).default(8080),
  PUBLIC_URL: optional()
    .custom(readPublicUrl)
    .messages({ 'any.custom': '{#label} {#error.message}, such as https://gateway.example.com' }),
  MAX_CONNECTIONS: Joi.number().integer().min(1).max(100_000).default(4096),
  RAW_HITS: onOff('on'),
  PROJECT_DIR: optional(),
  DATA_DIR: Joi.string().default('.data'),
  DEMO_DATA: onOff('on'),
  CLICKHOUSE_URL: optional()
    .custom((text: string) => readServerUrls(text).join(','))
    .messages({ 'any.custom': '{#label} {#error.message}' })
    .when('CLICKHOUSE_CLUSTER', { is: Joi.exist(), then: Joi.required() }),
  CLICKHOUSE_USER: Joi.string().default('default'),
  CLICKHOUSE_PASSWORD: mayBeEmpty(''),
  CLICKHOUSE_DATABASE: Joi.string().default('logs'),
  CLICKHOUSE_CLUSTER: optional(),
  ALLOW_PARTIAL: onOff('off'),
  CLICKHOUSE_VERSIONS_USER: optional(),
  CLICKHOUSE_VERSIONS_PASSWORD: mayBeEmpty(''),
  CLICKHOUSE_LOG_USER: optional(),
  CLICKHOUSE_LOG_PASSWORD: mayBeEmpty(''),
  REQUEST_LOG: onOff('on'),
  RECORD_CALLS: onOff('off'),
  // Not a plain URI: Redis Sentinel and Redis Cluster have several hosts.
  REDIS_URL: optional()
    .pattern(/^rediss?(\+sentinel|\+cluster)?:\/\/\S+$/)
    .messages({
      'string.pattern.base':
        '{#label} must begin with redis:// or rediss://, optionally with +sentinel or +cluster before the colon',
    }),
  API_KEY: optional(),
  API_KEYS_FILE: optional(),
  ENDPOINT_SETTINGS_FILE: optional(),
  CORS_ORIGINS: mayBeEmpty(''),
  MCP: optional().valid('on', 'off'),
  MCP_MAX_RESULT_KB: Joi.number().min(1).max(1024).default(64),
  RESPONSE_TIMES: Joi.string<'iso' | 'unix-micros'>().valid('iso', 'unix-micros').default('iso'),
  QUERY_TIMEOUT_SECONDS: Joi.number().positive().max(300).default(30),
  SHUTDOWN_TIMEOUT_SECONDS: Joi.number().min(0).max(600).default(20),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
  CACHE_MEMORY_MB: Joi.number().min(1).default(64),
  CACHE_MAX_SHARED_KB: Joi.number().min(1).default(1024),
  CACHE_KEY_PREFIX: mayBeEmpty('querygate:'),
  CACHE_STALE_IF_ERROR: Joi.number().integer().min(0).default(DEFAULT_STALE_IF_ERROR_SECONDS),
  WARM_MAX_SETS: Joi.number().integer().min(0).default(100),
  WARM_CONCURRENCY: Joi.number().integer().min(1).max(32).default(2),
  // N concurrent refreshes use at most N seconds of ClickHouse for each second that passes.
  WARM_BUDGET: Joi.number().min(0).max(Joi.ref('WARM_CONCURRENCY')).default(0.1).messages({
    'number.max':
      '{#label} must be at most WARM_CONCURRENCY: it is seconds of ClickHouse for each second that passes',
  }),
  ADMIN_HOST: Joi.string().default('127.0.0.1'),
  ADMIN_PORT: Joi.number<number | undefined>().integer().min(0).max(65_535),
  ADMIN_HOSTS: Joi.string()
    .allow('')
    .pattern(/^[\w.-]+(?:\s*,\s*[\w.-]+)*$/)
    .default('')
    .messages({ 'string.pattern.base': '{#label} must list host names without a port, separated by commas' }),
  SQL_HOST: Joi.string().default('127.0.0.1'),
  SQL_PORT: Joi.number<number | undefined>().integer().min(0).max(65_535),
  SQL_MAX_ROWS: Joi.number().integer().min(1).max(1_000_000_000).default(1_000_000),
  JWT_SECRET: secret,
  JWT_JWKS_URL: httpUrl(),
  JWT_ISSUER: optional()
    .when('JWT_SECRET', { is: Joi.exist(), then: Joi.required() })
    .when('JWT_JWKS_URL', { is: Joi.exist(), then: Joi.required() }),
  JWT_AUDIENCE: Joi.string().default('querygate'),
  LINK_SECRET: secret,
  LINK_MAX_DAYS: Joi.number().positive().max(3650).default(90),
  TRUST_PROXY: mayBeEmpty(''),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(),
  OTEL_SERVICE_NAME: Joi.string().default('querygate'),
  MAX_CONCURRENT_QUERIES: Joi.number().integer().min(1).max(10_000).default(16),
  MAX_CONCURRENT_EXPORTS: Joi.number().integer().min(1).max(1000).default(2),
  MAX_QUEUED_QUERIES: Joi.number().integer().min(0).max(100_000).default(1024),
  QUEUE_TIMEOUT_SECONDS: Joi.number().min(0.1).max(3600).default(10),
  QUERY_MAX_MEMORY_BYTES: Joi.number().integer().min(1).default(2_000_000_000),
  QUERY_MAX_ROWS_TO_READ: Joi.number().integer().min(1).default(10_000_000_000),
  QUERY_MAX_BYTES_TO_READ: Joi.number().integer().min(1).default(1_000_000_000_000),
  QUERY_MAX_RESULT_BYTES: Joi.number().integer().min(1).default(256_000_000),
  // WORKERS has no effect any more, but is still validated.
  WORKERS: Joi.number().integer().min(1).default(1),
};

/** The environment variables, by name, after validation. */
export type Variables = {
  readonly [Name in keyof typeof SCHEMAS]: (typeof SCHEMAS)[Name] extends Joi.AnySchema<infer T> ? T : never;
};

export const VARIABLES = Joi.object<Variables>(SCHEMAS).prefs({
  abortEarly: false,
  stripUnknown: true,
  errors: { wrap: { label: false } },
});
