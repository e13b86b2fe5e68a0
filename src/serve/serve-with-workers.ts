import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from '../clickhouse/embedded/free-port.js';
import { openEndpoints } from './compose.js';
import type { Config } from '../config/config.js';
import { generateApiKey } from '../keys/api-key.js';
import { describeError, type Logger } from '../log/logger.js';
import { PrimaryMetrics } from '../metrics/primary-metrics.js';
import { onHangUp } from './hang-up.js';
import { startEmbeddedServer } from './open-clickhouse.js';
import { stopOnSignal } from './stop-on-signal.js';
import { welcome } from './welcome.js';
import { Hub } from '../workers/hub.js';
import { Supervisor } from '../workers/supervisor.js';
import { EMPTY_SNAPSHOT } from '../workers/worker-snapshot.js';
import { forkWorker } from '../workers/worker-process.js';

const clock = (): Date => new Date();
const now = (): number => performance.now();

/** What there is once, however many workers; and what these are told of it. */
interface Once {
  readonly generatedKey: string | undefined;
  /** Variables that take the place of this process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/**
 * Serves with several workers on one port: this process, the primary, answers no request itself. SIGHUP restarts the
 * workers one after another.
 *
 * @throws Error where ClickHouse or a worker of the first set can't start; then nothing runs.
 */
export async function serveWithWorkers(config: Config, logger: Logger): Promise<void> {
  const endpoints = await openEndpoints(config);
  const once = await openOnce(config, logger);
  const metrics = new PrimaryMetrics();
  const hub = new Hub({
    memoryBytes: config.cache.memoryBytes,
    clock,
    now,
    ownSnapshot: async () => ({ ...EMPTY_SNAPSHOT, metrics: await metrics.registry.getMetricsAsJSON() }),
    onFault: (error) => {
      logger.error('a message of a worker could not be handled', describeError(error));
    },
  });
  const supervisor = new Supervisor({
    count: config.workers,
    fork: (place) => {
      const worker = forkWorker(place, once.environment);
      metrics.count(worker);
      return worker;
    },
    hub,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    log: logger,
    now,
    pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  });
  const close = async (): Promise<void> => {
    try {
      await supervisor.stop();
    } finally {
      await once.close();
    }
  };
  try {
    const { url, adminUrl, hasClickHouse } = await supervisor.start();
    const stop = stopOnSignal(close, logger, () => {
      supervisor.kill();
    });
    onHangUp(stop, () => void supervisor.reload());
    if (adminUrl !== undefined) logger.info('operator’s view', { url: adminUrl });
    const { kind } = config.clickhouse;
    logger.info('ready', { url, clickhouse: kind, pid: process.pid, workers: config.workers });
    const { generatedKey } = once;
    if (process.stdout.isTTY || generatedKey !== undefined)
      process.stdout.write(welcome({ url, endpoints, generatedKey, hasClickHouse }));
  } catch (error) {
    await once.close();
    throw error;
  }
}

/** Opens what workers share: the ports, the key, ClickHouse. */
async function openOnce(config: Config, logger: Logger): Promise<Once> {
  const { apiKey, apiKeysFile, admin, clickhouse, requestLog } = config;
  const isOpen = apiKey === undefined && apiKeysFile === undefined;
  const generatedKey = isOpen ? generateApiKey() : undefined;
  // For workers that come later, "any port" has to be the same one.
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const adminPort = admin?.port === 0 ? await freePort(admin.host) : admin?.port;
  const environment = {
    PORT: String(port),
    ...(adminPort !== undefined && { ADMIN_PORT: String(adminPort) }),
    ...(generatedKey !== undefined && { API_KEY: generatedKey }),
  };
  if (clickhouse.kind === 'external') {
    return { generatedKey, environment, close: () => Promise.resolve() };
  }
  const server = await startEmbeddedServer(config, clickhouse, logger, clock);
  const { url, database, username, password } = server.readerConnection;
  const admits = requestLog ? server.adminConnection : undefined;
  const connection = {
    CLICKHOUSE_URL: url,
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_PASSWORD: password,
    ...(admits && { CLICKHOUSE_LOG_USER: admits.username, CLICKHOUSE_LOG_PASSWORD: admits.password }),
  };
  return { generatedKey, environment: { ...environment, ...connection }, close: () => server.stop() };
}
