import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from '../clickhouse/embedded/free-port.js';
import { endWithThisProcess, type ServingProcess } from './gateway-process.js';

const POLL_MS = 20;

/** Whether this machine has a Redis server. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Starts a Redis as docs/operating.md recommends it: nothing on disk. */
export async function startRedisServer(): Promise<ServingProcess> {
  const port = await freePort();
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
  endWithThisProcess(child);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('redis-server ended before it was ready');
    await delay(POLL_MS);
  }
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  return { url: `redis://127.0.0.1:${port}`, process: child, stop };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
