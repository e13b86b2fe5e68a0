import type { ServerResponse } from 'node:http';

/**
 * Aborts an incomplete response with a reset of the connection. Some clients take a closed connection for the end of a response,
 * although its last chunk is missing.
 */
export function breakOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}
