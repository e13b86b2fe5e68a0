import { freePort } from '../../src/commands/embedded/free-port.js';
import type { Stage } from '../stage.js';

/** Starts a Redis as docs/how-to/deploy.md recommends, without persistence; returns its URL. */
export async function startRedis(stage: Stage): Promise<string> {
  const port = await freePort();
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  await stage.start({ command: 'redis-server', args: ['--port', String(port), ...options], port });
  return `redis://127.0.0.1:${port}`;
}
