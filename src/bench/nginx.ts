import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from '../clickhouse/embedded/free-port.js';
import { endWithThisProcess, waitUntilServing, type ServingProcess } from './gateway-process.js';

/** Where nginx listens, and what it may write to. */
export interface NginxPlace {
  readonly port: number;
  readonly folder: string;
}

/** Whether this machine has nginx. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
}

/**
 * Starts nginx.
 *
 * @param workers number of its worker processes.
 * @param httpBlock what stands in the `http` block, with a server that listens on the port of its place.
 */
export async function startNginx(
  workers: number,
  httpBlock: (place: NginxPlace) => string,
): Promise<ServingProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, workers, httpBlock({ port, folder })), { mode: 0o600 });
  // The worker processes are not root, and need their temporary files.
  await chmod(folder, 0o711);
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  // Killed, it would leave its worker processes behind.
  endWithThisProcess(child, 'SIGTERM');
  const url = `http://127.0.0.1:${port}`;
  await waitUntilServing(url, child, 'nginx');
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, process: child, stop };
}

function configuration(folder: string, workers: number, httpBlock: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
daemon off;
worker_processes ${workers};
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  ${temporary.join('\n  ')}
  ${httpBlock}
}
`;
}
