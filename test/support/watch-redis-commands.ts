import { connect } from 'node:net';
import { createInterface } from 'node:readline';

import { sharedRedisUrl } from './test-redis.js';

/**
 * Runs Redis's MONITOR on a socket of its own, because the client confuses its first line with the reply to the command.
 *
 * @returns a function that stops it.
 */
export function watchRedisCommands(onLine: (line: string) => void): () => void {
  const { hostname, port } = new URL(sharedRedisUrl());
  const socket = connect(Number(port), hostname);
  createInterface(socket).on('line', onLine);
  socket.write('MONITOR\r\n');
  return () => {
    socket.destroy();
  };
}
