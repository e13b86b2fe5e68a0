import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { freePort } from '../../src/commands/embedded/free-port.js';
import type { Stage } from '../stage.js';
import type { ServerProcess } from './server-process.js';

/** The port on which nginx listens, and a folder that it may write to. */
export interface NginxLocation {
  readonly port: number;
  readonly folder: string;
}

/**
 * Starts nginx.
 *
 * @param workers number of its worker processes.
 * @param httpBlock returns the contents of the `http` block, with a server on the location's port.
 */
export async function startNginx(
  stage: Stage,
  workers: number,
  httpBlock: (location: NginxLocation) => string,
): Promise<ServerProcess> {
  const folder = await mkdtemp(path.join(stage.folder, 'nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, nginxConfiguration(folder, workers, httpBlock({ port, folder })), { mode: 0o600 });
  // The worker processes do not run as root, and need these folders for temporary files.
  for (const each of [stage.folder, folder]) await chmod(each, 0o711);
  // SIGKILL would leave its worker processes running.
  return stage.start({ command: 'nginx', args: ['-p', folder, '-c', file], port, exitSignal: 'SIGTERM' });
}

/** A configuration of nginx whose files are all in a folder. @param httpBlock contents of the `http` block */
export function nginxConfiguration(folder: string, workers: number, httpBlock: string): string {
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
