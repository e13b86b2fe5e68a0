import { describeError, type Logger } from '../observability/logger.js';

/**
 * Ends the process on SIGTERM or SIGINT: with 0 once `close` is over, with 1 where it fails or after a fault. A second
 * signal means now.
 *
 * @returns the same, for what is no signal.
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
        logger.error('stopped, not all in order', describeError(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stop;
}
