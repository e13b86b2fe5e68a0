import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from '../clickhouse/embedded/free-port.js';
import { endWithThisProcess, waitUntilServing, type ServingProcess } from './gateway-process.js';

/** Whether this machine has nginx. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
}

/** Starts nginx with a `proxy_cache` in front of one URL; it has one worker process, as the gateway has. */
export async function startNginxCache(
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<ServingProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-nginx-'));
  const port = await freePort();
  await writeFile(path.join(folder, 'nginx.conf'), configuration(folder, port, origin, headers), {
    mode: 0o600,
  });
  // The worker is not root, and has to get to its cache.
  await chmod(folder, 0o711);
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  endWithThisProcess(child);
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

function configuration(
  folder: string,
  port: number,
  origin: string,
  headers: Readonly<Record<string, string>>,
): string {
  const passed = Object.entries(headers).map(([name, value]) => `proxy_set_header ${name} "${value}";`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  ${temporary.join('\n  ')}
  proxy_cache_path ${folder}/cache keys_zone=answers:10m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${origin};
      proxy_cache answers;
      proxy_cache_key answer;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      ${passed.join('\n      ')}
    }
  }
}
`;
}
