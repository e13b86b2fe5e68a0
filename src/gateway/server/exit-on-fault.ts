import { describeError, type Logger } from '../observability/logger.js';

/** Milliseconds that running requests may take after a fault. */
const DRAIN_MS = 3000;
/** Milliseconds after which the process exits, even if parts are still closing. */
const EXIT_MS = 5000;

/**
 * Exits with code 1 after an uncaught exception or an unhandled rejection, after which Node.js considers it unsafe to
 * continue. Logs the fault, and drains running requests briefly.
 *
 * @returns a function that sets how the gateway is closed; until it is called, a fault exits at once.
 */
export function exitOnFault(logger: Logger): (close: (drainMs: number) => Promise<void>) => void {
  let closeGateway: (drainMs: number) => Promise<void> = () => Promise.resolve();
  let isStopping = false;
  const exit = (): void => process.exit(1);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.error('uncaught error: the process stops', { event, ...describeError(error) });
      // The exit code is set even if a signal is already stopping the process.
      process.exitCode = 1;
      if (isStopping) return;
      isStopping = true;
      setTimeout(exit, EXIT_MS);
      closeGateway(DRAIN_MS).then(exit, exit);
    });
  }
  return (close) => {
    closeGateway = close;
  };
}
