import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { hasBacklog } from './backlog.js';
import { breakOff } from './break-off.js';
import { connectionsOf, responding } from './connections.js';

const CHECK_MS = 50;

/**
 * Milliseconds that an idle connection stays open for one last request. Closing it at once would lose requests that are on
 * their way.
 */
const IDLE_GRACE_MS = 1000;

/**
 * Stops a server: accepts no connections, finishes running requests, and destroys what is left after the timeout. The last
 * response on each connection says `Connection: close`; idle connections are closed after a grace period.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = once(server, 'close');
  const idleSince = new Map<Socket, number>();
  announceClose(server, idleSince);
  // close() of Node's HTTP server would close idle connections at once.
  NetServer.prototype.close.call(server);
  const sweep = setInterval(() => {
    const now = performance.now();
    // A raw hit may wait for its client to read it.
    for (const [socket, since] of idleSince)
      if (now - since >= IDLE_GRACE_MS && socket.writableLength === 0) socket.destroy();
  }, CHECK_MS);
  const cutOff = setTimeout(() => {
    for (const socket of connectionsOf(server).open) {
      const response = responding(socket);
      if (response?.headersSent) breakOff(response);
      else if (socket.writableLength > 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}

/** Makes the last response on every connection say `Connection: close`, and records since when connections are idle. */
function announceClose(server: Server, idleSince: Map<Socket, number>): void {
  const { open, onRequest } = connectionsOf(server);
  const onResponding = (socket: Socket, response: ServerResponse): void => {
    idleSince.delete(socket);
    // It ends the connection.
    if (!response.headersSent && !hasBacklog(socket)) response.shouldKeepAlive = false;
    // Where the headers were sent before, with keep-alive, only the idle timer closes the connection.
    response.once('close', () => {
      const isIdle = !socket.destroyed && !responding(socket) && !hasBacklog(socket);
      if (isIdle) idleSince.set(socket, performance.now());
    });
  };
  for (const socket of open) {
    const response = responding(socket);
    if (response) onResponding(socket, response);
    else idleSince.set(socket, performance.now());
  }
  onRequest(({ socket }, response) => {
    onResponding(socket, response);
  });
}
