import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import path from 'node:path';

import { nginxConfiguration } from '../../bench/servers/nginx.js';
import { textOf } from '../support/documentation.js';
import { withEmptyDatabase } from '../support/empty-database.js';
import { freePort } from '../support/free-port.mjs';
import { describeWithNginx } from '../support/nginx.js';
import { pollUntil } from '../support/poll-until.js';
import { QUERYGATE, runCli } from '../support/run-cli.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

/** Commands that need systemd, root or a registry. */
const ELSEWHERE = /^(?:cd|npm|useradd|systemctl|cp|nginx|curl) /;

/** The commands of a page's section that can run here, with the folders of the test. */
function commandsOf(
  page: string,
  section: string,
  folders: Readonly<Record<string, string>>,
): readonly string[] {
  const [, body = ''] = new RegExp(`^## ${section}\n([^]*?)^## `, 'm').exec(page) ?? [];
  const lines = [...body.matchAll(/^ *```shell\n([^]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.trim()),
  );
  return lines
    .filter((line) => line !== '' && !ELSEWHERE.test(line) && !line.startsWith('export '))
    .map((line) =>
      Object.entries({
        ...folders,
        'runuser -u querygate -- ': '',
        '-o querygate -g querygate ': '',
        'npx querygate': 'node_modules/.bin/querygate',
      }).reduce((command, [before, after]) => command.replaceAll(before, after), line),
    );
}

/** The values of a key of a systemd unit, with the name of the instance. */
const valuesOf = (unit: string, key: string, instance: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) =>
    value.replaceAll('%i', instance),
  );

/** A port with four digits, as the unit needs it. */
async function shortPort(): Promise<string> {
  return pollUntil('a port with four digits is free', async () => {
    const port = 2000 + Math.floor(Math.random() * 7000);
    const isTaken = await fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      (error: unknown) => !JSON.stringify((error as Error).cause).includes('ECONNREFUSED'),
    );
    return isTaken ? undefined : String(port);
  });
}

async function whileRunning(child: ChildProcess, use: () => Promise<void>): Promise<void> {
  const ended = once(child, 'exit');
  try {
    await use();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

describeWithNginx('docs/how-to/deploy.md, on one machine', () => {
  it('has steps from a project to a response over TLS', async () => {
    await withEmptyDatabase(async ({ connection }) => {
      await withTemporaryFolder(async (folder) => {
        const [project, etc] = [path.join(folder, 'project'), path.join(folder, 'etc')];
        expect((await runCli(['init', project])).code).toBe(0);
        await mkdir(path.join(project, 'node_modules/.bin'), { recursive: true });
        await symlink(QUERYGATE, path.join(project, 'node_modules/.bin/querygate'));
        const administrator = {
          CLICKHOUSE_URL: connection.url,
          CLICKHOUSE_DATABASE: connection.database,
          CLICKHOUSE_USER: connection.username,
          CLICKHOUSE_PASSWORD: connection.password,
        };
        const run = (command: string, variables: Readonly<Record<string, string>> = {}): string => {
          const env = {
            PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
            ...variables,
          };
          const { status, stdout, stderr } = spawnSync('bash', ['-euc', command], { cwd: project, env });
          if (status !== 0) throw new Error(`${command}: ${String(stderr)}${String(stdout)}`);
          return String(stdout);
        };
        const commands = commandsOf(await textOf('docs/how-to/deploy.md'), 'On one machine', {
          '/etc/querygate': etc,
        });
        expect(commands).toHaveLength(7);
        let key = '';
        for (const command of commands) {
          const output = run(command, / (?:migrate|grants)$/.test(command) ? administrator : {});
          [key = key] = /qg_[\w-]+/.exec(output) ?? [];
          if (command.startsWith('install -m 600'))
            await fillIn(path.join(etc, 'environment'), etc, administrator);
        }
        const port = await shortPort();
        const unit = await readFile(path.join(project, 'deploy/querygate@.service'), 'utf8');
        const environment = valuesOf(unit, 'Environment', port).flatMap((line) => line.split(' '));
        const [start = ''] = valuesOf(unit, 'ExecStart', port);
        const [afterStart = ''] = valuesOf(unit, 'ExecStartPost', port);
        const file = await readFile(path.join(etc, 'environment'), 'utf8');
        const pairs = [...environment, ...file.split('\n')].flatMap((line) => {
          const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
          return name === undefined ? [] : [[name, value] as const];
        });
        const [, ...args] = start.split(' ');
        const gateway = spawn(process.execPath, args, {
          cwd: project,
          env: { PATH: process.env['PATH'], ...Object.fromEntries(pairs), SQL_PORT: `2${port}` },
          stdio: 'ignore',
        });
        await whileRunning(gateway, async () => {
          run(afterStart.replace('/usr/bin/curl', 'curl'));
          await throughNginx({ folder, project, port, key });
        });
      });
    });
  }, 60_000);
});

/** What the operator fills in: the server, and the user, which is the administrator here. */
async function fillIn(file: string, etc: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const filled = (await readFile(file, 'utf8'))
    .replaceAll('/etc/querygate', etc)
    .replaceAll(/^(CLICKHOUSE_\w+)=.*$/gm, (line, name: string) => `${name}=${variables[name] ?? line}`);
  await writeFile(file, filled);
}

async function throughNginx({
  folder,
  project,
  port,
  key,
}: Readonly<Record<'folder' | 'project' | 'port' | 'key', string>>): Promise<void> {
  const [certificate, privateKey] = [path.join(folder, 'gateway.pem'), path.join(folder, 'gateway.key')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=gateway.example.com'],
    ...['-addext', 'subjectAltName=DNS:gateway.example.com', '-keyout', privateKey, '-out', certificate],
  ]);
  expect(status).toBe(0);
  const [tlsPort, sqlPort] = [await freePort(), await freePort()];
  const configuration = (await readFile(path.join(project, 'deploy/nginx.conf'), 'utf8'))
    .replace(/^#(?=upstream)[^]*/m, (tables) => tables.replaceAll(/^#/gm, ''))
    .replaceAll(/127\.0\.0\.1:(2?)8080/g, `127.0.0.1:$1${port}`)
    .replaceAll(/^.*127\.0\.0\.1:2?8081.*$/gm, '')
    .replace('listen 443', `listen 127.0.0.1:${tlsPort}`)
    .replace('listen 8443', `listen 127.0.0.1:${sqlPort}`)
    .replaceAll('/etc/ssl/gateway.pem', certificate)
    .replaceAll('/etc/ssl/gateway.key', privateKey);
  const file = path.join(folder, 'nginx.conf');
  await mkdir(path.join(folder, 'logs'));
  await writeFile(file, nginxConfiguration(folder, 1, configuration));
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  await whileRunning(nginx, async () => {
    const ca = await readFile(certificate, 'utf8');
    const get = (target: string, on = tlsPort): Promise<string> =>
      new Promise((resolve, reject) => {
        const options = {
          ...{ host: '127.0.0.1', port: on, path: target, ca, servername: 'gateway.example.com' },
          headers: { 'X-API-KEY': key, Host: 'gateway.example.com' },
        };
        request(options, (response) => void text(response).then(resolve, reject))
          .on('error', reject)
          .end();
      });
    const list = await pollUntil('nginx responds', () => get('/api/endpoints').catch(() => undefined));
    expect(list).toContain('"requests.by-path"');
    expect(await get('/api/endpoints/query/requests.by-path?shop=harbour')).toBe('{"result":[]}');
    expect(await get('/openapi.json')).toContain('https://gateway.example.com');
    expect(await get('/?query=SHOW+TABLES', sqlPort)).toBe('requests_by_path\n');
  });
}
