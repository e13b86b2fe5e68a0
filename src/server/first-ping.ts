import type { Logger } from '../observability/logger.js';
import type { QueryServer } from './open-scheduler.js';

/** A start is not held up for longer than that. */
const PING_MS = 1000;

/**
 * Pings each server once, and warns of those that don't answer: a wrong address must not look like a start in order. They
 * may be up later, and are asked then.
 *
 * @returns whether any answers.
 */
export async function pingServersOnce(
  servers: readonly Pick<QueryServer, 'name' | 'ping'>[],
  logger: Logger,
  signal = AbortSignal.timeout(PING_MS),
): Promise<boolean> {
  const answers = await Promise.all(servers.map(({ ping }) => ping(signal).catch(() => false)));
  const silent = servers.flatMap(({ name }, index) => (answers[index] ? [] : [name]));
  for (const server of silent) {
    logger.warn('ClickHouse does not answer a ping', {
      server,
      check: 'is it up, is its address in CLICKHOUSE_URL right, and can this machine reach it?',
    });
  }
  return silent.length < servers.length;
}
