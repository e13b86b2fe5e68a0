import Joi from 'joi';

import { MIN_SECRET_BYTES } from '../auth/secret.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../endpoint/definition.js';
import { readPublicUrl } from './public-url.js';
import { readServerUrls } from './server-urls.js';

/** The environment variables, by name, after validation. */
export interface Variables {
  HOST: string;
  PORT: number;
  PUBLIC_URL?: string;
  MAX_CONNECTIONS: number;
  PROJECT_DIR?: string;
  DATA_DIR: string;
  DEMO_DATA: 'on' | 'off';
  CLICKHOUSE_URL?: string;
  CLICKHOUSE_USER: string;
  CLICKHOUSE_PASSWORD: string;
  CLICKHOUSE_DATABASE: string;
  CLICKHOUSE_CLUSTER?: string;
  ALLOW_PARTIAL: 'on' | 'off';
  CLICKHOUSE_VERSIONS_USER?: string;
  CLICKHOUSE_VERSIONS_PASSWORD: string;
  CLICKHOUSE_LOG_USER?: string;
  CLICKHOUSE_LOG_PASSWORD: string;
  REQUEST_LOG: 'on' | 'off';
  RECORD_CALLS: 'on' | 'off';
  REDIS_URL?: string;
  API_KEY?: string;
  API_KEYS_FILE?: string;
  ENDPOINT_SETTINGS_FILE?: string;
  CORS_ORIGINS: string;
  MCP?: 'on' | 'off';
  MCP_MAX_RESULT_KB: number;
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
  ADMIN_HOSTS: string;
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
  MAX_CONCURRENT_EXPORTS: number;
  MAX_QUEUED_QUERIES: number;
  QUEUE_TIMEOUT_SECONDS: number;
  QUERY_MAX_MEMORY_BYTES: number;
  QUERY_MAX_ROWS_TO_READ: number;
  QUERY_MAX_BYTES_TO_READ: number;
  QUERY_MAX_RESULT_BYTES: number;
}

const url = (...scheme: string[]): Joi.StringSchema => Joi.string().uri({ scheme });

/** Checked here too, so that it is reported together with the other problems. */
const secret = Joi.string().min(MIN_SECRET_BYTES, 'utf8').messages({
  'string.min': '{#label} must have at least {#limit} bytes; create one with: openssl rand -base64 32',
});

/** Names, defaults and limits of the environment variables; a test compares the documented ranges with them. */
export const VARIABLES = Joi.object<Variables, true>({
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().integer().min(0).max(65_535).default(8080),
  PUBLIC_URL: Joi.string()
    .custom(readPublicUrl)
    .messages({ 'any.custom': '{#label} {#error.message}, such as https://gateway.example.com' }),
  MAX_CONNECTIONS: Joi.number().integer().min(1).max(100_000).default(4096),
  PROJECT_DIR: Joi.string(),
  DATA_DIR: Joi.string().default('.data'),
  DEMO_DATA: Joi.string().valid('on', 'off').default('on'),
  CLICKHOUSE_URL: Joi.string()
    .custom((text: string) => readServerUrls(text).join(','))
    .messages({ 'any.custom': '{#label} {#error.message}' })
    .when('CLICKHOUSE_CLUSTER', { is: Joi.exist(), then: Joi.required() }),
  CLICKHOUSE_USER: Joi.string().default('default'),
  CLICKHOUSE_PASSWORD: Joi.string().allow('').default(''),
  CLICKHOUSE_DATABASE: Joi.string().default('logs'),
  CLICKHOUSE_CLUSTER: Joi.string(),
  ALLOW_PARTIAL: Joi.string().valid('on', 'off').default('off'),
  CLICKHOUSE_VERSIONS_USER: Joi.string(),
  CLICKHOUSE_VERSIONS_PASSWORD: Joi.string().allow('').default(''),
  CLICKHOUSE_LOG_USER: Joi.string(),
  CLICKHOUSE_LOG_PASSWORD: Joi.string().allow('').default(''),
  REQUEST_LOG: Joi.string().valid('on', 'off').default('on'),
  RECORD_CALLS: Joi.string().valid('on', 'off').default('off'),
  // Not a plain URI: Redis Sentinel and Redis Cluster have several hosts.
  REDIS_URL: Joi.string()
    .pattern(/^rediss?(\+sentinel|\+cluster)?:\/\/\S+$/)
    .messages({
      'string.pattern.base':
        '{#label} must begin with redis:// or rediss://, optionally with +sentinel or +cluster before the colon',
    }),
  API_KEY: Joi.string(),
  API_KEYS_FILE: Joi.string(),
  ENDPOINT_SETTINGS_FILE: Joi.string(),
  CORS_ORIGINS: Joi.string().allow('').default(''),
  MCP: Joi.string().valid('on', 'off'),
  MCP_MAX_RESULT_KB: Joi.number().min(1).max(1024).default(64),
  RESPONSE_TIMES: Joi.string().valid('iso', 'unix-micros').default('iso'),
  QUERY_TIMEOUT_SECONDS: Joi.number().positive().max(300).default(30),
  SHUTDOWN_TIMEOUT_SECONDS: Joi.number().min(0).max(600).default(20),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
  CACHE_MEMORY_MB: Joi.number().min(1).default(64),
  CACHE_MAX_SHARED_KB: Joi.number().min(1).default(1024),
  CACHE_KEY_PREFIX: Joi.string().allow('').default('querygate:'),
  CACHE_STALE_IF_ERROR: Joi.number().integer().min(0).default(DEFAULT_STALE_IF_ERROR_SECONDS),
  WARM_MAX_SETS: Joi.number().integer().min(0).default(100),
  WARM_CONCURRENCY: Joi.number().integer().min(1).max(32).default(2),
  // N concurrent refreshes use at most N seconds of ClickHouse for each second that passes.
  WARM_BUDGET: Joi.number().min(0).max(Joi.ref('WARM_CONCURRENCY')).default(0.1).messages({
    'number.max':
      '{#label} must be at most WARM_CONCURRENCY: it is seconds of ClickHouse for each second that passes',
  }),
  ADMIN_HOST: Joi.string().default('127.0.0.1'),
  ADMIN_PORT: Joi.number().integer().min(0).max(65_535),
  ADMIN_HOSTS: Joi.string()
    .allow('')
    .pattern(/^[\w.-]+(?:\s*,\s*[\w.-]+)*$/)
    .default('')
    .messages({ 'string.pattern.base': '{#label} must list host names without a port, separated by commas' }),
  JWT_SECRET: secret,
  JWT_JWKS_URL: url('http', 'https'),
  JWT_ISSUER: Joi.string()
    .when('JWT_SECRET', { is: Joi.exist(), then: Joi.required() })
    .when('JWT_JWKS_URL', { is: Joi.exist(), then: Joi.required() }),
  JWT_AUDIENCE: Joi.string().default('querygate'),
  LINK_SECRET: secret,
  LINK_MAX_DAYS: Joi.number().positive().max(3650).default(90),
  TRUST_PROXY: Joi.string().allow('').default(''),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https'),
  OTEL_SERVICE_NAME: Joi.string().default('querygate'),
  MAX_CONCURRENT_QUERIES: Joi.number().integer().min(1).max(10_000).default(16),
  MAX_CONCURRENT_EXPORTS: Joi.number().integer().min(1).max(1000).default(2),
  MAX_QUEUED_QUERIES: Joi.number().integer().min(0).max(100_000).default(1024),
  QUEUE_TIMEOUT_SECONDS: Joi.number().min(0.1).max(3600).default(10),
  QUERY_MAX_MEMORY_BYTES: Joi.number().integer().min(1).default(2_000_000_000),
  QUERY_MAX_ROWS_TO_READ: Joi.number().integer().min(1).default(10_000_000_000),
  QUERY_MAX_BYTES_TO_READ: Joi.number().integer().min(1).default(1_000_000_000_000),
  QUERY_MAX_RESULT_BYTES: Joi.number().integer().min(1).default(256_000_000),
}).prefs({ abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });
