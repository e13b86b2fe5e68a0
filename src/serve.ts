import { setFlagsFromString } from 'node:v8';

import { openGateway, type Gateway } from './compose.js';
import { readConfig, type Environment } from './config/config.js';
import { createLogger, describeError, type Logger } from './log/logger.js';
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
  const readable = process.stdout.isTTY;
  const config = readConfig(environment);
  const logger = createLogger(config.logLevel, readable);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.error('a fault that no request is to blame for', { event, ...describeError(error) });
    });
  }
  const gateway = await openGateway(config, { logger, clock: () => new Date() });
  stopOnSignal(gateway, logger);
  logger.info('ready', { url: gateway.url, clickhouse: config.clickhouse.kind, pid: process.pid });
  if (readable || gateway.generatedKey !== undefined) process.stdout.write(welcome(gateway));
}

function stopOnSignal(gateway: Gateway, logger: Logger): void {
  let closing = false;
  const stop = (signal: string): void => {
    // A second signal means now.
    if (closing) process.exit(1);
    closing = true;
    logger.info('stopping', { signal });
    gateway.close().then(
      () => {
        logger.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error('stopped, not all in order', describeError(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
