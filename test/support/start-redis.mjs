import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from './free-port.mjs';

/**
 * Starts a redis-server on a free loopback port, without persistence.
 *
 * @param {string} folder
 * @param {readonly string[]} options further options of redis-server, such as `--maxmemory 1mb`
 */
export async function startRedis(folder, options = []) {
  ensureInstalled();
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...args, '--dir', folder, ...options], { stdio: 'ignore' });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with exit code ${child.exitCode}`);
    await delay(10);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Installs Debian's package if the process is root and apt exists; otherwise throws an error with instructions. */
function ensureInstalled() {
  if (isInstalled('redis-server')) return;
  if (process.getuid?.() === 0 && isInstalled('apt-get')) {
    process.stderr.write('redis-server is not installed; installing it with apt-get …\n');
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env: environment });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: environment,
    });
    if (isInstalled('redis-server')) return;
  }
  throw new Error(
    'The tests need redis-server on the PATH. Install it (Debian, Ubuntu: sudo apt-get install redis-server; ' +
      'macOS: brew install redis), or, with Docker, run npm run test:containers.',
  );
}

/** @param {string} command */
function isInstalled(command) {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** @param {number} port */
async function accepts(port) {
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
