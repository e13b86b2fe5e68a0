import type { QueryServer } from './open-scheduler.js';

/** Whether any server responds: true with the first response, false when every ping has failed. */
export function pingAny(
  servers: readonly Pick<QueryServer, 'ping'>[],
  signal: AbortSignal,
): Promise<boolean> {
  const responses = servers.map(async ({ ping }) => {
    if (!(await ping(signal))) throw new Error('not ready');
    return true;
  });
  return Promise.any(responses).catch(() => false);
}
