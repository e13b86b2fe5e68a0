import { readConfig, type Environment } from '../config/config.js';
import { LineOutput } from '../observability/line-output.js';
import { createLineLogger, createLogger } from '../observability/logger.js';
import { openGateway } from './compose.js';
import { exitOnFault } from './exit-on-fault.js';
import { boundHeapGrowth } from './heap-growth.js';
import { lowMemoryLimit, memoryNeeds } from './memory-needs.js';
import { onSighup } from './on-sighup.js';
import { stopOnSignal } from './stop-on-signal.js';
import { consoleLine, welcome } from './welcome.js';

/** Serves until SIGTERM or SIGINT, then exits: with code 1 if the gateway cannot start, or a part does not close. */
export async function serve(environment: Environment): Promise<void> {
  boundHeapGrowth();
  // If the reader of the log closes the pipe, the gateway continues to serve.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const output = process.stdout.isTTY ? undefined : new LineOutput();
  try {
    await start(environment, output);
  } catch (error) {
    process.stderr.write(
      `querygate can’t start: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exit(1);
  }
}

async function start(environment: Environment, output: LineOutput | undefined): Promise<void> {
  const config = readConfig(environment);
  const logger = output ? createLineLogger(config.logLevel, output) : createLogger(config.logLevel, true);
  const closeOnFault = exitOnFault(logger);
  // SIGHUP is handled from the start, because it would otherwise end the process.
  const onHangup: { stop: (signal: string) => void; reload: () => void; requested: boolean } = {
    stop: () => process.exit(1),
    reload: () => (onHangup.requested = true),
    requested: false,
  };
  onSighup(
    (signal) => {
      onHangup.stop(signal);
    },
    () => {
      onHangup.reload();
    },
  );
  const gateway = await openGateway(config, { logger, clock: () => new Date(), output });
  const { url, adminUrl, sqlUrl } = gateway;
  closeOnFault(gateway.close);
  onHangup.stop = stopOnSignal(() => gateway.close(), logger);
  onHangup.reload = () => void gateway.reload();
  if (onHangup.requested) onHangup.reload();
  if (sqlUrl !== undefined) logger.info('SQL listener ready', { url: sqlUrl });
  if (adminUrl !== undefined) logger.info('admin API ready', { url: adminUrl });
  const needs = memoryNeeds(config);
  const limitMb = lowMemoryLimit(needs);
  if (limitMb !== undefined)
    logger.warn('the memory limit is too low for CACHE_MEMORY_MB: lower that, or raise the limit', {
      limitMb,
      memoryMb: needs.memoryMb,
    });
  logger.info('ready', { url, clickhouse: config.clickhouse.kind, pid: process.pid, ...needs });
  const hasOwnKey = gateway.generatedKey !== undefined;
  const text = hasOwnKey ? `${welcome(gateway)}${consoleLine(gateway)}\n` : welcome(gateway);
  if (!output || hasOwnKey) (output ?? process.stdout).write(text);
}
