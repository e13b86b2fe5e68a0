import { once } from 'node:events';
import type { Server } from 'node:http';

const SWEEP_MS = 50;

/**
 * Stops a server: no new connections, what runs is finished, and after the time given all that is left is cut off.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection kept alive is idle only once its answer is out.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_MS);
  const cutOff = setTimeout(() => {
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
