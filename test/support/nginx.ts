import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { freePort } from './free-port.mjs';
import { pollUntil } from './poll-until.js';
import { withTemporaryFolder } from './temporary-folder.js';

const hasNginx = spawnSync('nginx', ['-v']).error === undefined;

/** Like `describe`; skips where the machine has no nginx, and says so. */
export function describeWithNginx(name: string, tests: () => void): void {
  if (hasNginx) describe(name, tests);
  else describe.skip(`${name}: skipped, there is no nginx (apt-get install nginx-light)`, tests);
}

/** Runs a test's body with the URL of an nginx that has these locations. */
export async function withNginx(locations: string, use: (url: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const port = await freePort();
    const file = path.join(folder, 'nginx.conf');
    await mkdir(path.join(folder, 'logs'));
    await writeFile(file, configuration(folder, port, locations));
    const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
    const ended = once(nginx, 'exit');
    const url = `http://127.0.0.1:${port}`;
    try {
      await pollUntil('nginx responds', async () => (await fetch(url).catch(() => undefined)) && true);
      await use(url);
    } finally {
      nginx.kill('SIGTERM');
      await ended;
    }
  });
}

function configuration(folder: string, port: number, locations: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`;
}
