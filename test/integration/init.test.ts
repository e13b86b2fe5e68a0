import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { QUERYGATE, runCli } from '../support/run-cli.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { makeTemporaryFolder, withTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

const KEY = 'qg_only-for-tests';

const temporary = openForAll(makeTemporaryFolder);

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

describe('querygate init', () => {
  it('writes a project, with endpoints of querygate new, whose examples return rows and whose check passes', async () => {
    const folder = path.join(temporary.path, 'new/shop');
    const created = await runCli(['init', folder]);
    expect([created.code, lines(created.stdout).every((line) => line.startsWith('created '))]).toEqual([
      0,
      true,
    ]);
    expect(created.stderr).toMatch(/\nNext:\n {2}cd \S+\n {2}npm install\n {2}npx querygate dev\n$/);
    const added = await Promise.all([
      runCli(['new', 'orders.by-day', '--project', folder]),
      runCli(['new', 'orders.by-week', '--ts', '--project', folder]),
    ]);
    expect(added.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'endpoints/orders.by-day.sql\n'],
      [0, 'endpoints/orders.by-week.ts\n'],
    ]);
    const tested = await runCli(['test', '--project', folder]);
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('7 calls passed in 3 files')]);
    const [checked, gateway] = await Promise.all([
      runCli(['check', '--json', '--project', folder]),
      GatewayProcess.start([QUERYGATE, 'serve', '--project', folder], { API_KEY: KEY }),
    ]);
    try {
      const { endpoints, grants } = JSON.parse(checked.stdout) as {
        readonly endpoints: readonly { readonly name: string; readonly warnings: readonly string[] }[];
        readonly grants: { readonly warnings: readonly string[] };
      };
      expect(checked.code).toBe(0);
      const own = endpoints.filter(({ name }) => !name.startsWith('gateway.'));
      expect(own.map(({ name, warnings }) => [name, warnings])).toEqual([
        ['orders.by-day', []],
        ['orders.by-week', []],
        ['requests.by-path', []],
        ['requests.over-time', []],
      ]);
      expect(grants.warnings).toEqual([]);
      const calls = [
        'requests.by-path?shop=harbour',
        'requests.by-path?shop=station&path=/cart',
        'orders.by-day?product=tea',
        'orders.by-week?product=tea&least=3',
      ];
      const responses = await Promise.all(calls.map((call) => gateway.call(call, KEY)));
      expect(responses.map(({ status, rows }) => [status, rows.length])).toEqual([
        [200, 6],
        [200, 1],
        [200, 2],
        [200, 1],
      ]);
      const { status, rows } = await gateway.call(
        'requests.over-time?shop=harbour&interval=day&since=now-7d',
        KEY,
      );
      expect(status).toBe(200);
      // Just after midnight, a shop has no request of the new day yet.
      expect([7, 8]).toContain(rows.length);
    } finally {
      await gateway.kill();
    }
  });

  it('keeps every file that exists, and says what a package.json lacks', async () => {
    await withTemporaryFolder(async (folder) => {
      const manifest = '{ "scripts": { "dev": "mine" } }';
      await writeFile(path.join(folder, 'package.json'), manifest);
      const first = await runCli(['init', folder]);
      expect(first.stdout).toContain('kept    package.json (exists)\n');
      expect(lines(first.stderr)).toEqual(
        expect.arrayContaining([
          'package.json was kept. Add to "scripts": "start": "querygate serve", "check": "querygate check"',
          expect.stringMatching(/^package\.json was kept\. Add to "dependencies": "querygate": "file:/),
        ]),
      );
      const sqlFile = path.join(folder, 'endpoints/requests.by-path.sql');
      await writeFile(sqlFile, 'mine');
      const second = await runCli(['init', folder]);
      expect([second.code, lines(second.stdout).filter((line) => !line.startsWith('kept '))]).toEqual([
        0,
        [],
      ]);
      expect(lines(second.stdout)).toHaveLength(lines(first.stdout).length);
      expect(await readFile(sqlFile, 'utf8')).toBe('mine');
      expect(await readFile(path.join(folder, 'package.json'), 'utf8')).toBe(manifest);
    });
  });

  it('adds no example to endpoints or schema files of one’s own, but an endpoint where there is none', async () => {
    await withTemporaryFolder(async (folder) => {
      await mkdir(path.join(folder, 'clickhouse-schema'));
      await writeFile(path.join(folder, 'clickhouse-schema/0001_orders.sql'), 'SELECT 1;');
      const { code, stdout, stderr } = await runCli(['init', folder]);
      expect([code, stdout.includes('0001_requests'), stdout.includes('demo/')]).toEqual([0, false, false]);
      expect(stdout).toContain('created endpoints/example.sql\n');
      expect(stderr).toContain('The folder has clickhouse-schema/0001_orders.sql, so no example is added.\n');
      const again = await runCli(['init', folder]);
      expect([again.code, again.stdout.includes('created')]).toEqual([0, false]);
    });
  });

  it('exits with 1 where a file is in the place of the folder', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'file');
      await writeFile(file, '');
      for (const target of [file, path.join(file, 'below')]) {
        const { code, stdout, stderr } = await runCli(['init', target]);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/^error: \S+ cannot be the folder of a project: .*\n$/);
      }
    });
  });

  it.each([
    [
      'systemd',
      ['deploy/environment.example', 'deploy/.gitignore', 'deploy/nginx.conf', 'deploy/querygate@.service'],
    ],
    [
      'kubernetes',
      [
        'config.yaml',
        'gateway.yaml',
        '.gitignore',
        'keys-secret.yaml.example',
        'migrate.yaml',
        'network-policy.yaml',
        'secrets.yaml.example',
        'endpoints.yaml',
        'schema.yaml',
        'settings.yaml',
      ].map((name) => `deploy/kubernetes/${name}`),
    ],
  ])('--deploy %s writes what deploys a project, and nothing else', async (way, expected) => {
    await withTemporaryFolder(async (folder) => {
      expect((await runCli(['init', folder])).code).toBe(0);
      const { code, stdout, stderr } = await runCli(['init', '--deploy', way, folder]);
      expect([code, lines(stdout)]).toEqual([0, expected.map((file) => `created ${file}`)]);
      expect(stderr).toContain('Next: docs/how-to/deploy');
      const again = await runCli(['init', '--deploy', way, folder]);
      expect([again.code, again.stdout.includes('created')]).toEqual([0, false]);
    });
  });

  it('--deploy compose writes the stack with a ClickHouse, or before the one that .env names', async () => {
    await withTemporaryFolder(async (folder) => {
      await mkdir(path.join(folder, 'endpoints'));
      await writeFile(path.join(folder, 'endpoints/one.sql'), 'SELECT 1');
      const compose = path.join(folder, 'docker-compose.yml');
      for (const [env, hasOwn] of [
        ['', true],
        ['CLICKHOUSE_URL=https://clickhouse:8443', false],
      ] as const) {
        await writeFile(path.join(folder, '.env'), env);
        const { code, stdout } = await runCli(['init', '--deploy', 'compose', folder]);
        expect([code, lines(stdout)]).toEqual([0, ['created docker-compose.yml', 'created .env.example']]);
        expect((await readFile(compose, 'utf8')).includes('clickhouse/clickhouse-server')).toBe(hasOwn);
        for (const file of [compose, path.join(folder, '.env.example')]) await rm(file);
      }
    });
  });

  it.each([
    ['a folder without endpoints', {}, 'has no endpoints: --deploy is for a project'],
    [
      'a name',
      { [`endpoints/${'é'.repeat(70)}.sql`]: 'SELECT 1' },
      'has a name that no ConfigMap has: make an image of the project instead',
    ],
    [
      'names with one key',
      { 'endpoints/one@2.sql': 'SELECT 1', 'endpoints/one_40_2.sql': 'SELECT 1' },
      'one_40_2.sql has a name that no ConfigMap has',
    ],
    ['large files', { 'endpoints/one.sql': 'x'.repeat(1_000_001) }, 'more than a ConfigMap has'],
  ])('--deploy kubernetes says what it cannot deploy: %s', async (_, files, problem) => {
    await withTemporaryFolder(async (folder) => {
      for (const [file, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), text);
      }
      const { code, stdout, stderr } = await runCli(['init', '--deploy', 'kubernetes', folder]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(problem)]);
    });
  });

  it('exits with 2 for options that need --from', async () => {
    const { code, stderr } = await runCli(['init', temporary.path, '--table', 'orders']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('need --from') as string]);
  });
});

describe('querygate new', () => {
  it('exits with 1 for a name that an endpoint has in any form or subfolder, and writes nothing', async () => {
    await withTemporaryFolder(async (folder) => {
      await mkdir(path.join(folder, 'endpoints/shop'), { recursive: true });
      await writeFile(path.join(folder, 'endpoints/shop/orders.mjs'), 'export default 1;');
      const { code, stdout, stderr } = await runCli(['new', 'orders', '--project', folder]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: endpoints\/shop\/orders\.mjs has the endpoint orders already\. .*\n$/);
    });
  });

  it.each([
    [
      'Orders',
      /^error: Orders must be lower-case words joined by dots or hyphens, perhaps with @2 for a version, such as orders\.by-day\n$/,
    ],
    ['../orders', /lower-case words/],
    ['0b0e9c52-1111-4111-8111-111111111111', /must not have the form of a UUID/],
    ['gateway.requests', /is an endpoint of the gateway itself/],
  ])('exits with 2 for the name %s', async (name, message) => {
    const { code, stderr } = await runCli(['new', name, '--project', temporary.path]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message) as string]);
  });

  it('exits with 2 for both forms', async () => {
    const { code } = await runCli(['new', 'orders', '--sql', '--ts', '--project', temporary.path]);
    expect(code).toBe(2);
  });
});
