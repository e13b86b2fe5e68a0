import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { hasBacklog } from './backlog.js';
import { breakOff } from './break-off.js';
import { connectionsOf, responding } from './connections.js';

const CHECK_MS = 50;

/**
 * Milliseconds that an idle connection stays open for one last request. An immediate close would lose requests that are in
 * transit.
 */
const IDLE_GRACE_MS = 1000;

/**
 * Stops a server: accepts no connections, finishes running requests, and destroys the rest after the timeout. The last
 * response on each connection says `Connection: close`; idle connections are closed after a grace period.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = once(server, 'close');
  const idleSince = new Map<Socket, number>();
  announceClose(server, idleSince);
  // Not the close() of Node's HTTP server, which would close idle connections at once.
  NetServer.prototype.close.call(server);
  const sweep = setInterval(() => {
    const now = performance.now();
    // An idle connection may still have a raw hit to send that the client has not read.
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
    // Makes Node close the connection after this response.
    if (!response.headersSent && !hasBacklog(socket)) response.shouldKeepAlive = false;
    // Responses whose headers were already sent have keep-alive, so that only the idle timer closes the connection.
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
