import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createQueryRunner } from './clickhouse/query-runner.js';
import type { Config } from './config/config.js';
import { readEndpointSettingsFile } from './config/endpoint-settings-file.js';
import { loadEndpoints } from './endpoint/load-endpoints.js';
import type { EndpointRegistry } from './endpoint/registry.js';
import type { Clock } from './execution/ports.js';
import { createEndpointRunner } from './execution/run-endpoint.js';
import { createApp } from './http/app.js';
import { drain } from './http/drain.js';
import { createHttpServer } from './http/server.js';
import { openKeys, type Keys } from './keys/open-keys.js';
import type { Logger } from './log/logger.js';
import { openClickHouse } from './open-clickhouse.js';
import { ENDPOINTS_FOLDER } from './project-files.js';

/** A gateway that listens. */
export interface Gateway {
  readonly url: string;
  readonly endpoints: EndpointRegistry;
  /** The key made for this run, where none was configured. */
  readonly generatedKey: string | undefined;
  /** Stops accepting, finishes what runs (for a bounded time), and closes everything. */
  readonly close: () => Promise<void>;
}

export interface Surroundings {
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * The composition root: opens every part, wires them, and listens.
 *
 * @throws Error that an operator can act on; what was opened is closed again.
 */
export async function openGateway(config: Config, { logger, clock }: Surroundings): Promise<Gateway> {
  const endpoints = await openEndpoints(config);
  const keys = await openConfiguredKeys(config, logger);
  try {
    const clickhouse = await openClickHouse(config, logger, clock);
    let draining = false;
    const runQuery = createQueryRunner(clickhouse.client, { timeoutMs: config.queryTimeoutMs });
    const app = createApp({
      endpoints,
      runEndpoint: createEndpointRunner(runQuery, clock),
      findKey: keys.find,
      isClickHouseUp: async () => (await clickhouse.client.ping({ select: false })).success,
      isDraining: () => draining,
      logger,
      corsOrigins: config.corsOrigins,
    });
    const server = createHttpServer(app, logger);
    const close = async (): Promise<void> => {
      draining = true;
      await drain(server, config.shutdownTimeoutMs);
      await clickhouse.close();
      keys.close();
    };
    const url = await listen(server, config).catch(async (error: unknown) => {
      await clickhouse.close();
      throw error;
    });
    return { url, endpoints, generatedKey: keys.generatedKey, close };
  } catch (error) {
    keys.close();
    throw error;
  }
}

async function openEndpoints({ endpointSettingsFile }: Config): Promise<EndpointRegistry> {
  const endpoints = await loadEndpoints(ENDPOINTS_FOLDER);
  if (endpointSettingsFile === undefined) return endpoints;
  const overrides = await readEndpointSettingsFile(endpointSettingsFile);
  try {
    return endpoints.withOverrides(overrides);
  } catch (cause) {
    throw new Error(`ENDPOINT_SETTINGS_FILE ${endpointSettingsFile}: ${(cause as Error).message}`, { cause });
  }
}

function openConfiguredKeys({ apiKey, apiKeysFile }: Config, logger: Logger): Promise<Keys> {
  return openKeys(
    { apiKey, apiKeysFile },
    {
      onReloaded: (keys) => {
        logger.info('keys read again', { keys });
      },
      onRefused: (reason) => {
        logger.error('the changed keys’ file is no good; the keys from before stay in force', { reason });
      },
    },
  );
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
