import { setFlagsFromString } from 'node:v8';

import { readConfig, type Environment } from '../config/config.js';
import { createLogger } from '../observability/logger.js';
import { openGateway } from './compose.js';
import { exitOnFault } from './exit-on-fault.js';
import { onHangUp } from './hang-up.js';
import { stopOnSignal } from './stop-on-signal.js';
import { welcome } from './welcome.js';

/** Serves until SIGTERM or SIGINT, and ends the process: with 1 where it can’t start or doesn’t stop in order. */
export async function serve(environment: Environment): Promise<void> {
  // Left to itself V8 lets a heap of a few hundred megabytes grow to twice that before it looks for garbage, and an operator
  // who says CACHE_MEMORY_MB counts on it. Hits make hardly any garbage; only a flood of misses pays for looking sooner.
  setFlagsFromString('--heap-growing-percent=25');
  // Who read the log has gone: there is nobody to tell, and no reason to stop serving.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await start(environment);
  } catch (error) {
    process.stderr.write(
      `querygate can’t start: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exit(1);
  }
}

async function start(environment: Environment): Promise<void> {
  const config = readConfig(environment);
  const logger = createLogger(config.logLevel, process.stdout.isTTY);
  const closeOnFault = exitOnFault(logger);
  const gateway = await openGateway(config, { logger, clock: () => new Date() });
  const { url, adminUrl } = gateway;
  closeOnFault(gateway.close);
  const stop = stopOnSignal(() => gateway.close(), logger);
  onHangUp(stop, () => {
    logger.warn('SIGHUP is ignored', { fix: 'restart the gateway to apply changed settings' });
  });
  if (adminUrl !== undefined) logger.info('operator’s view', { url: adminUrl });
  logger.info('ready', { url, clickhouse: config.clickhouse.kind, pid: process.pid });
  if (process.stdout.isTTY || gateway.generatedKey !== undefined) process.stdout.write(welcome(gateway));
}
