import { describeError, type Logger } from '../observability/logger.js';

/**
 * Exits on SIGTERM or SIGINT: with code 0 when `close` has resolved, with 1 if it rejects or after a fault. A second
 * signal exits at once.
 *
 * @returns a function that stops the process in the same way, for other reasons.
 */
export function stopOnSignal(close: () => Promise<void>, logger: Logger): (why: string) => void {
  let closing = false;
  const stop = (signal: string): void => {
    if (closing) process.exit(1);
    closing = true;
    logger.info('stopping', { signal });
    close().then(
      () => {
        logger.info('stopped');
        process.exit(process.exitCode ?? 0);
      },
      (error: unknown) => {
        logger.error('stopped, but some parts did not close', describeError(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stop;
}
