import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 50;

/** Connections on which no request has come yet, by server. */
const silentConnections = new WeakMap<Server, Set<Socket>>();

/** From now on notes a server's silent connections for {@link drain}, since Node does not count them as idle. */
export function noteSilentConnections(server: Server): void {
  const silent = new Set<Socket>();
  silentConnections.set(server, silent);
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
}

/**
 * Stops a server: no new connections, what runs is finished, and after the time given all that is left is cut off.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of silentConnections.get(server) ?? []) socket.destroy();
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
