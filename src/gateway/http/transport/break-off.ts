import type { ServerResponse } from 'node:http';

/**
 * Breaks a response off that is not complete. With a reset, because some clients take the end of a connection for the end of a
 * response, although its last chunk is missing.
 */
export function breakOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}
