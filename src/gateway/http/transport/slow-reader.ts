import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { breakOff } from './break-off.js';
import { responding } from './connections.js';

/** Milliseconds after which the gateway closes the connection of a client that reads nothing. */
const SLOW_READER_MS = 60_000;

/**
 * Closes the connection when the client reads nothing of a response for a minute: it would keep the bytes in memory for ever.
 * Node restarts the time with each write, and with each part that the client reads. A response that has nothing to send waits
 * for something else, such as ClickHouse.
 */
export function closeWhereUnread(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  socket.setTimeout(SLOW_READER_MS);
  response.on('timeout', () => {
    if (socket.writableLength > 0) breakOff(response);
  });
  response.once('finish', () => {
    // Where no other response follows, Node has set its own time for idle connections.
    const next = responding(socket);
    if (next && next !== response) socket.setTimeout(0);
  });
}

/**
 * As {@link closeWhereUnread}, for the bytes that were written to a connection without a response of Node. Until the client has
 * read them, nothing more is read of the connection. After that it may be idle for as long as before.
 */
export function closeWhereUnreadRaw(socket: Socket): void {
  const { timeout: idleMs = 0 } = socket;
  const close = (): void => void socket.resetAndDestroy();
  // Before Node's own, which closes the connection without a reset.
  socket.pause().setTimeout(SLOW_READER_MS).prependOnceListener('timeout', close);
  socket.write('', () => {
    socket.off('timeout', close).setTimeout(idleMs).resume();
  });
}
