import type { QueryServer } from './open-scheduler.js';

/** Whether any server answers; a no as soon as all have said it. */
export function pingAny(
  servers: readonly Pick<QueryServer, 'ping'>[],
  signal: AbortSignal,
): Promise<boolean> {
  const answers = servers.map(async ({ ping }) => {
    if (!(await ping(signal))) throw new Error('not ready');
    return true;
  });
  return Promise.any(answers).catch(() => false);
}
