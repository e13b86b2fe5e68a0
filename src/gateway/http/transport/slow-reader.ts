import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { breakOff } from './break-off.js';
import { responding } from './connections.js';

/** Milliseconds after which the gateway closes the connection of a client that reads nothing. */
const SLOW_READER_MS = 60_000;

/**
 * Closes the connection when the client reads nothing of a response for a minute: its bytes would stay in memory forever. Node
 * restarts the timeout with each write, and whenever the client reads. A response without bytes to send does not time out: it
 * waits for something else, such as ClickHouse.
 */
export function closeWhereUnread(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  socket.setTimeout(SLOW_READER_MS);
  response.on('timeout', () => {
    if (socket.writableLength > 0) breakOff(response);
  });
  response.once('finish', () => {
    // Without a following response, Node has set the timeout of idle connections.
    const next = responding(socket);
    if (next && next !== response) socket.setTimeout(0);
  });
}

/**
 * Does the same as {@link closeWhereUnread} for bytes that were written to a connection without a response of Node. Nothing more is
 * read from the connection until the client has read them. Then the idle timeout is the same as before.
 */
export function closeWhereUnreadRaw(socket: Socket): void {
  const { timeout: idleMs = 0 } = socket;
  const close = (): void => void socket.resetAndDestroy();
  // This listener comes before Node's, which would close the connection without a reset.
  socket.pause().setTimeout(SLOW_READER_MS).prependOnceListener('timeout', close);
  socket.write('', () => {
    socket.off('timeout', close).setTimeout(idleMs).resume();
  });
}
