import { openGateway } from './compose.js';
import type { Config } from '../config/config.js';
import { describeError, type Logger } from '../log/logger.js';
import { batched, channelToPrimary } from '../workers/channel.js';
import { PrimaryLink } from '../workers/primary-link.js';
import { shareOfPlaces } from '../workers/share-of-places.js';

/** How long the primary may take to hear why a worker can't start, or what it counted to its end. */
const LAST_WORDS_MS = 1000;

/**
 * Serves as one of several workers, until the primary says that it is over.
 *
 * @param place the number of its place among them, from 0.
 */
export async function serveAsWorker(config: Config, place: number, logger: Logger): Promise<void> {
  // Ctrl-C and a terminal that is closed reach every process of the group: what follows from it the primary says.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const clock = (): Date => new Date();
  const primary = new PrimaryLink(batched(channelToPrimary(process)), {
    clock,
    onChange: (state) => {
      if (state === 'open') logger.warn('the primary does not answer; this worker goes on by itself');
      else logger.info('the primary answers again');
    },
    onFault: (error) => {
      logger.error('a message of the primary could not be handled', describeError(error));
    },
  });
  try {
    const own = { ...config, admission: shareOfPlaces(config.admission, config.workers, place) };
    const gateway = await openGateway(own, { logger, clock, primary });
    const stop = stopOnce(gateway.close, logger);
    primary.answer({ 'worker.stop': stop });
    process.on('SIGTERM', stop);
    const { url, adminUrl, hasClickHouse } = gateway;
    primary.tell('worker.ready', { url, hasClickHouse, ...(adminUrl !== undefined && { adminUrl }) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await primary.askFor('worker.failed', reason, LAST_WORDS_MS).catch(() => undefined);
    process.exit(1);
  }
}

/** Ends the process when its requests are over; told again, it does so all the same. */
function stopOnce(close: () => Promise<void>, logger: Logger): () => void {
  let closing = false;
  return () => {
    if (closing) return;
    closing = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('a worker did not stop in order', describeError(error));
        process.exit(1);
      },
    );
  };
}
