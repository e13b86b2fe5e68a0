import { describeError, type Logger } from '../observability/logger.js';

/** Milliseconds that requests in flight get after a fault. */
const DRAIN_MS = 3000;
/** Milliseconds after which the process ends, whatever still closes. */
const EXIT_MS = 5000;

/**
 * Ends the process with exit code 1 after an exception that nothing caught, or a rejection that nothing handled: Node.js
 * calls it unsafe to go on. The fault is logged, and requests in flight are drained briefly.
 *
 * @returns sets what closes the gateway; before, the process ends at once.
 */
export function exitOnFault(logger: Logger): (close: (drainMs: number) => Promise<void>) => void {
  let closeGateway: (drainMs: number) => Promise<void> = () => Promise.resolve();
  let isStopping = false;
  const exit = (): void => process.exit(1);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.error('a fault outside of any request: the process stops', { event, ...describeError(error) });
      // Also where a signal has begun to stop the process before.
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
