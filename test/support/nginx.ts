import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { nginxConfiguration } from '../../bench/servers/nginx.js';
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
    const server = `server {\n  listen 127.0.0.1:${port};\n  ${locations}\n}`;
    await writeFile(file, nginxConfiguration(folder, 1, server));
    // Its worker processes do not run as root.
    await chmod(folder, 0o711);
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
