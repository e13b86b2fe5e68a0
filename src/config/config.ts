import Joi from 'joi';

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
}

const url = (...scheme: string[]): Joi.StringSchema => Joi.string().uri({ scheme });

/** Names, defaults and limits of the environment variables; README.md has them as a table. */
const SCHEMA = Joi.object<Variables, true>({
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().integer().min(0).max(65_535).default(8080),
  DATA_DIR: Joi.string().default('.data'),
  DEMO_DATA: Joi.string().valid('on', 'off').default('on'),
  CLICKHOUSE_URL: url('http', 'https'),
  CLICKHOUSE_USER: Joi.string().default('default'),
  CLICKHOUSE_PASSWORD: Joi.string().allow('').default(''),
  CLICKHOUSE_DATABASE: Joi.string().default('logs'),
  REDIS_URL: url('redis', 'rediss'),
  API_KEY: Joi.string(),
  API_KEYS_FILE: Joi.string(),
  ENDPOINT_SETTINGS_FILE: Joi.string(),
  CORS_ORIGINS: Joi.string().allow('').default(''),
  QUERY_TIMEOUT_SECONDS: Joi.number().positive().max(300).default(30),
  SHUTDOWN_TIMEOUT_SECONDS: Joi.number().min(0).max(600).default(20),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
}).prefs({ abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });

/**
 * Reads the configuration from environment variables; an empty one counts as unset.
 *
 * @throws Error listing everything that is wrong at once.
 */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = SCHEMA.validate(given);
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
