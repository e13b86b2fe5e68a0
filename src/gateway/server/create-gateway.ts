import { readConfig } from '../config/config.js';
import { withEnvFile } from '../config/project.js';
import { textOfProblem } from '../../endpoint/file-problems.js';
import { createLogger } from '../observability/logger.js';
import { openGateway } from './compose.js';

/** What {@link createGateway} needs. */
export interface GatewayOptions {
  /** Folder of the project; by default `PROJECT_DIR` of the environment, else the current folder. */
  readonly project?: string;
  /**
   * The environment variables of docs/reference/configuration.md; by default none, so that `process.env` applies only where it is
   * passed. The project's `.env` adds variables.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A gateway in this process. */
export interface RunningGateway {
  /** URL of the gateway, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** URL of the admin API; undefined without `ADMIN_PORT`. */
  readonly adminUrl: string | undefined;
  /** URL of the listener on which endpoints are tables; undefined without `SQL_PORT`. */
  readonly sqlUrl: string | undefined;
  /** The key that was generated for this run; undefined where the configuration has keys. */
  readonly apiKey: string | undefined;
  /**
   * Loads the endpoint files again and serves them, all or nothing. Never rejects.
   *
   * @returns a text for each problem, with which nothing was changed; empty where all files are served.
   */
  readonly reload: () => Promise<readonly string[]>;
  /** Finishes running requests within `SHUTDOWN_TIMEOUT_SECONDS`, and closes every connection and the embedded server. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a gateway in this process, as `querygate serve` does in its own process: for tests, and for services that embed it.
 * Writes the log to standard output (`LOG_LEVEL`). Handles no signals: call `close` before the process exits.
 *
 * @throws Error that describes the problem of the project or the configuration.
 *
 * @example
 * ```ts
 * const gateway = await createGateway({ project: '.', environment: { PORT: '0' } });
 * const response = await fetch(`${gateway.url}/api/endpoints`, { headers: { 'X-API-KEY': gateway.apiKey ?? '' } });
 * await response.json();
 * await gateway.close();
 * ```
 */
export async function createGateway({
  project,
  environment = {},
}: GatewayOptions = {}): Promise<RunningGateway> {
  const config = readConfig(
    withEnvFile({ ...environment, ...(project !== undefined && { PROJECT_DIR: project }) }),
  );
  const logger = createLogger(config.logLevel, false);
  const { url, adminUrl, sqlUrl, generatedKey, reload, close } = await openGateway(config, {
    logger,
    clock: () => new Date(),
  });
  return {
    url,
    adminUrl,
    sqlUrl,
    apiKey: generatedKey,
    reload: async () => (await reload()).problems.map(textOfProblem),
    close: () => close(),
  };
}
