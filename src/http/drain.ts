import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { connectionsOf } from './connections.js';

const SWEEP_MS = 50;

/**
 * How long an idle connection stays open for its next request, which is then told to be the last. Hanging up at once
 * would cross the requests that callers are sending at that moment, and these would be lost.
 */
const IDLE_GRACE_MS = 1000;

/**
 * Stops a server: no new connections, what runs is finished, and after the time given all that is left is cut off. From
 * now on the last answer on each connection says `Connection: close`; a connection on which nothing comes is closed after a short while.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = once(server, 'close');
  const idleSince = new Map<Socket, number>();
  lastAnswers(server, idleSince);
  // Node's own close() of an HTTP server hangs up on idle connections at once.
  NetServer.prototype.close.call(server);
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, since] of idleSince) if (now - since >= IDLE_GRACE_MS) socket.destroy();
  }, SWEEP_MS);
  const cutOff = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of connectionsOf(server).open) socket.destroy();
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}

/** Makes the last answer on every connection tell so, and notes since when connections are idle. */
function lastAnswers(server: Server, idleSince: Map<Socket, number>): void {
  const { open, responding: answering } = connectionsOf(server);
  // A caller may send the next request before it has the answer to the one before: both run at the same time.
  const running = new WeakMap<Socket, Set<ServerResponse>>();
  const runningOn = (socket: Socket): Set<ServerResponse> => {
    const known = running.get(socket) ?? new Set();
    if (!running.has(socket)) socket.once('close', () => idleSince.delete(socket));
    running.set(socket, known);
    return known;
  };
  const begun = (socket: Socket, response: ServerResponse): void => {
    idleSince.delete(socket);
    const responses = runningOn(socket);
    // After the one that says so the connection is closed, whatever runs.
    for (const earlier of responses) if (!earlier.headersSent) earlier.shouldKeepAlive = true;
    if (!response.headersSent) response.shouldKeepAlive = false;
    responses.add(response);
    // Its head may be out already, and have promised more.
    response.once('close', () => {
      responses.delete(response);
      if (responses.size === 0 && !socket.destroyed) idleSince.set(socket, performance.now());
    });
  };
  for (const socket of open) idleSince.set(socket, performance.now());
  // One that is not its turn yet has no connection of its own; its request has.
  for (const response of answering) begun(response.req.socket, response);
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    begun(socket, response);
  });
}
