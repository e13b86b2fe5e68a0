import type { Logger } from '../observability/logger.js';
import { anyTrue } from '../scheduler/server-pool.js';
import type { QueryServer } from './open-scheduler.js';

/** Milliseconds that the start waits for the pings at most. */
const PING_MS = 1000;

/**
 * Pings each server once and logs a warning for those that do not respond, so that a wrong address is noticed. The
 * gateway uses such a server as soon as it responds.
 *
 * @returns whether any server responds.
 */
export async function pingServersOnce(
  servers: readonly Pick<QueryServer, 'name' | 'ping'>[],
  logger: Logger,
  signal = AbortSignal.timeout(PING_MS),
): Promise<boolean> {
  const responses = await Promise.all(servers.map(({ ping }) => ping(signal).catch(() => false)));
  const unreachable = servers.flatMap(({ name }, index) => (responses[index] ? [] : [name]));
  for (const server of unreachable) {
    logger.warn('ClickHouse does not respond to a ping', {
      server,
      check: 'does it run, is its address in CLICKHOUSE_URL correct, and can this machine reach it?',
    });
  }
  return unreachable.length < servers.length;
}

/** Whether any server responds: true with the first response, false when every ping has failed. */
export const pingAny = (
  servers: readonly Pick<QueryServer, 'ping'>[],
  signal: AbortSignal,
): Promise<boolean> => anyTrue(servers.map(({ ping }) => ping(signal)));
