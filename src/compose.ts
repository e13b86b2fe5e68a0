import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createAdminApp } from './admin/admin-app.js';
import { createPing } from './clickhouse/ping.js';
import { createQueryRunner } from './clickhouse/query-runner.js';
import { createSqlParser } from './clickhouse/sql-parser.js';
import type { Config } from './config/config.js';
import { readEndpointSettingsFile } from './config/endpoint-settings-file.js';
import { loadEndpoints } from './endpoint/load-endpoints.js';
import type { EndpointRegistry } from './endpoint/registry.js';
import { createHitFinder } from './execution/answer-call.js';
import type { Clock } from './execution/ports.js';
import { createHitAnswerer } from './http/answer-hit.js';
import { createApp } from './http/app.js';
import { drain } from './http/drain.js';
import { KnownTargets } from './http/known-targets.js';
import { RequestLog } from './http/request-log.js';
import { createHttpServer } from './http/server.js';
import type { Logger } from './log/logger.js';
import { openAccess } from './open-access.js';
import { openClickHouse } from './open-clickhouse.js';
import { openExecution } from './open-execution.js';
import { ENDPOINTS_FOLDER } from './project-files.js';
import { createSandbox } from './sandbox/sandbox.js';

/** A probe has to be told soon that ClickHouse hangs. */
const PING_TIMEOUT_MS = 1000;

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
export async function openGateway(config: Config, surroundings: Surroundings): Promise<Gateway> {
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const gateway = await open(config, surroundings, (close) => closers.push(close));
    return { ...gateway, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type OnClose = (close: () => Promise<void> | void) => void;

async function open(
  config: Config,
  { logger, clock }: Surroundings,
  onClose: OnClose,
): Promise<Omit<Gateway, 'close'>> {
  const endpoints = await openEndpoints(config);
  const { credentials, keys, keyUse, links } = await openAccess(config, endpoints, { logger, clock });
  onClose(keys.close);
  const clickhouse = await openClickHouse(config, logger, clock);
  onClose(clickhouse.close);
  const runQuery = createQueryRunner(clickhouse.client, config.queryLimits);
  const ping = createPing(clickhouse.url);
  const execution = await openExecution(config, { endpoints, runQuery, ping, logger, clock }, onClose);
  const { cache, metrics, limiter } = execution;
  if (config.admin) {
    const admin = createHttpServer(
      createAdminApp({ ...execution, endpoints, keys, keyUse, links, clock, logger }),
      logger,
    );
    logger.info('operator’s view', { url: await listen(admin, config.admin) });
    onClose(() => drain(admin, 0));
  }

  const log = new RequestLog(
    logger,
    (...answered) => {
      metrics.answered(...answered);
    },
    ({ subject, counted }) => {
      metrics.limitRefused(subject.kind, counted);
    },
  );
  const targets = new KnownTargets();
  let draining = false;
  const shared = { endpoints, targets, clock, credentials, limiter, log };
  const app = createApp({
    ...shared,
    answerCall: execution.answerCall,
    judgeSql: createSandbox(createSqlParser(clickhouse.client)),
    isClickHouseUp: () => ping(AbortSignal.timeout(PING_TIMEOUT_MS)).catch(() => false),
    isDraining: () => draining,
    corsOrigins: config.corsOrigins,
  });
  const findHit = createHitFinder({
    peek: (hash) => cache.memory.peek(hash),
    clock,
    onAnswered: execution.onAnswered,
  });
  const answerHit = createHitAnswerer({ ...shared, findHit });
  // With CORS an answer's headers depend on who asks from where, which is the application's business.
  const leavesAll = config.corsOrigins.length > 0;
  const server = createHttpServer((request, response) => {
    if (draining || leavesAll || !answerHit(request, response)) app(request, response);
  }, logger);
  const url = await listen(server, config);
  onClose(async () => {
    draining = true;
    await drain(server, config.shutdownTimeoutMs);
  });
  return { url, endpoints, generatedKey: keys.generatedKey };
}

async function openEndpoints({ endpointSettingsFile, cache }: Config): Promise<EndpointRegistry> {
  const loaded = await loadEndpoints(ENDPOINTS_FOLDER);
  const endpoints = loaded.withStaleIfError(cache.staleIfErrorSeconds);
  if (endpointSettingsFile === undefined) return endpoints;
  const overrides = await readEndpointSettingsFile(endpointSettingsFile);
  try {
    return endpoints.withOverrides(overrides);
  } catch (cause) {
    throw new Error(`ENDPOINT_SETTINGS_FILE ${endpointSettingsFile}: ${(cause as Error).message}`, { cause });
  }
}

async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
