import { execFileSync } from 'node:child_process';
import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { keyNamed } from '../support/access-gateway.js';
import { writeFiles } from '../support/project-folder.js';
import { runCli, type Outcome } from '../support/run-cli.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { VersionedServer } from '../support/versioned-gateway.js';
import { writeKeys } from '../support/write-keys.js';

const endpoint = (name: string, id: number, header: string, select: string): string =>
  `/*\nname: ${name}\nid: 7d1f0c04-5cb3-41e7-907b-${String(id).padStart(12, '0')}\nsummary: For a test.\ncaching: disabled\n${header}\n*/\n${select}\n`;
const BY_CITY =
  'columns: { city: String, n: UInt64, mean: Float64 }\nparameters: { least: { kind: integer, default: 0, description: The least. } }';
const SECRET =
  'columns: { n: UInt64 }\nparameters: { token: { kind: string, secret: true, required: true, description: Secret. } }\nexample: { token: x }';

/** The endpoint by-city with columns and a condition. */
const byCity = (columns: string, where = 'v >= @least', header = BY_CITY): { readonly 'by-city': string } => {
  const select = `SELECT city, ${columns} FROM visits WHERE ${where} GROUP BY city ORDER BY city`;
  return { 'by-city': endpoint('by-city', 1, header, select) };
};

/** The endpoints as they are deployed. */
const DEPLOYED = {
  ...byCity('count() AS n, avg(v) AS mean'),
  same: endpoint('same', 2, 'columns: { n: UInt64 }', 'SELECT count() AS n FROM visits'),
  token: endpoint('token', 3, SECRET, 'SELECT count() AS n FROM visits WHERE city != @token'),
};

let server: VersionedServer;
let folder: TemporaryFolder;
let project: string;
let environment: Readonly<Record<string, string>>;

const write = (endpoints: Readonly<Record<string, string>>): Promise<void> =>
  writeFiles(
    path.join(project, 'endpoints'),
    Object.fromEntries(Object.entries(endpoints).map(([name, text]) => [`${name}.sql`, text])),
  );
const git = (...args: readonly string[]): void => {
  const author = '-c user.name=test -c user.email=test@example.org'.split(' ');
  execFileSync('git', ['-C', folder.path, ...author, ...args]);
};
const replay = (...args: readonly string[]): Promise<Outcome> =>
  runCli(['replay', '--project', project, ...args], environment);

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  server = await VersionedServer.start();
  const connection = server.server.adminConnection;
  await migrate({ connection, schema: await readSchema('/nowhere') });
  await server.run('CREATE TABLE visits (city String, v Float64) ENGINE = MergeTree ORDER BY city');
  await server.run(
    "INSERT INTO visits SELECT ['Rome', 'Oslo'][1 + number % 2], number / 7 FROM numbers(1000)",
  );
  const { url, username, password } = connection;
  environment = {
    ...{ CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password },
    ...{ CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password },
  };
  // In a folder of the repository, as a project among others.
  project = path.join(folder.path, 'services', 'shop');
  await write(DEPLOYED);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'deployed');
  const gateway = await server.openGateway(DEPLOYED, {
    clock: () => new Date(),
    environment: {
      ...environment,
      ...{ REQUEST_LOG: 'on', RECORD_CALLS: 'on', API_KEY: '' },
      API_KEYS_FILE: await writeKeys(folder.path, {
        every: {},
        rome: { fixed: { least: '100' }, endpoints: ['by-city'] },
      }),
    },
  });
  const call = async (key: string, target: string): Promise<void> => {
    const response = await fetch(`${gateway.gateway.url}/api/endpoints/query/${target}`, {
      headers: { 'X-API-KEY': keyNamed(key) },
    });
    expect([target, response.status]).toEqual([target, 200]);
    await response.arrayBuffer();
  };
  for (let index = 0; index < 3; index += 1) await call('every', 'by-city?least=1&utm=x');
  await call('every', 'by-city');
  await call('rome', 'by-city?format=csv');
  await call('every', 'same');
  await call('every', 'token?token=hush');
  await gateway.close();
}, 60_000);

afterAll(async () => {
  await server.stop();
  await folder.remove();
});

describe('querygate replay --save', () => {
  it('prints the recorded calls, the most used first, and nothing of a secret', async () => {
    const { code, stdout } = await runCli(['replay', '--save'], environment);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      endpoint: 'by-city',
      parameters: '[["least","1"]]',
      pins: '',
      calls: 3,
      queries: 3,
    });
    expect(lines).toHaveLength(5);
    expect(lines).toContainEqual(
      expect.objectContaining({ endpoint: 'by-city', parameters: '[]', pins: '[["least","100"]]' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ endpoint: 'token', parameters: '', omitted: 'secret', calls: 1 }),
    );
    expect(stdout).not.toContain('hush');
    const file = path.join(folder.path, 'saved.ndjson');
    expect(await runCli(['replay', '--save', file, '--since', '7d'], environment)).toMatchObject({ code: 0 });
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([stdout, 0o600]);
  });
});

describe('querygate replay', () => {
  it('says that a refactoring changes nothing, also in the last digits of floats', async () => {
    await write(byCity('count() AS n, sum(v) / n AS mean', 'NOT v < @least'));
    const { code, stdout, stderr } = await replay('--against', 'HEAD', '--fail-on', 'differs,errors');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('4 of 4 distinct calls, 6 of 6 calls');
    expect(stdout).toContain('1 (secret)');
    expect(stdout).toMatch(/^by-city +3 +0 +0 +0 +0 /m);
    expect(stdout).toMatch(/^same +same queries/m);
  });

  it('finds the change of a default, which is not in the SQL', async () => {
    await write({ 'by-city': DEPLOYED['by-city'].replace('default: 0', 'default: 50') });
    const { stdout } = await replay('--against', 'HEAD');
    // Of the three calls only one does not send the parameter.
    expect(stdout).toMatch(/^by-city +2 +1 +0 +0 +0 /m);
  });

  it('compares the other values where some vary by themselves', async () => {
    const random = path.join(folder.path, 'random');
    await write(byCity('count() AS n, rand() / 3 AS mean'));
    await cp(project, random, { recursive: true });
    await write(byCity('count() + 1 AS n, rand() / 3 AS mean'));
    expect((await replay('--against', random)).stdout).toMatch(/^by-city +0 +3 +0 +0 +0 /m);
    await write(byCity('sum(1) AS n, rand() / 3 AS mean'));
    // Nothing can be said of what varies.
    expect((await replay('--against', random)).stdout).toMatch(/^by-city +0 +0 +0 +0 +0 +3 /m);
  });

  it('names a changed endpoint of which no call can be replayed', async () => {
    await write({ ...DEPLOYED, token: DEPLOYED.token.replace('city != @token', 'city = @token') });
    const { stdout } = await replay('--against', 'HEAD');
    expect(stdout).toContain('Changed, and not replayed: token (none of 1 calls).\n');
    expect(stdout).toMatch(/^by-city +same queries/m);
  });

  it('shows the rows that another version changes, and fails where that is asked for', async () => {
    await write(byCity('count() AS n, avg(v) AS mean', 'v > @least + 99'));
    const failed = await replay('--against', 'HEAD', '--fail-on', 'differs', '--format', 'json');
    expect(failed.code).toBe(1);
    const { endpoints } = JSON.parse(failed.stdout) as { readonly endpoints: readonly object[] };
    expect(endpoints[0]).toMatchObject({ endpoint: 'by-city', differs: 3, equal: 0 });
    const text = await replay('--against', 'HEAD');
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('by-city?least=1, called 3 times\nthe rows differ (- expected, + came):');
    const markdown = await replay('--against', 'HEAD', '--format', 'markdown');
    expect(markdown.stdout).toContain('| by-city | 0 | 3 |');
  });

  it('reports calls that now fail, against a folder, with calls of a file', async () => {
    const deployed = path.join(folder.path, 'deployed');
    await cp(project, deployed, { recursive: true });
    await write(byCity('count() AS n, avg(v) AS mean', 'v >= @most', BY_CITY.replace('least:', 'most:')));
    const calls = path.join(folder.path, 'calls.ndjson');
    await writeFile(calls, '{"endpoint":"by-city","parameters":"[[\\"least\\",\\"1\\"]]","calls":7}\n');
    const { code, stdout } = await replay('--against', deployed, '--calls', calls, '--fail-on', 'errors');
    expect(code).toBe(1);
    expect(stdout).toContain('it fails with INVALID_PARAMETERS: It declares no parameter least.');
    await writeFile(calls, 'no call\n');
    expect((await replay('--against', deployed, '--calls', calls)).stderr).toContain(
      'calls.ndjson:1: a line must be',
    );
  });

  it.each([
    [
      'a commit that does not exist',
      ['--against', 'nothing'],
      1,
      /neither a folder nor a commit of the git repository/,
    ],
    ['a budget of zero', ['--against', 'HEAD', '--budget', '0'], 2, /a number of seconds above 0/],
    [
      'a reason that there is not',
      ['--against', 'HEAD', '--fail-on', 'ugly'],
      2,
      /Reasons are differs, errors/,
    ],
    ['two things at once', ['--against', 'HEAD', '--save'], 2, /Use one of --against, --save and --purge/],
    ['a part to purge', ['--purge', '--since', '30d'], 2, /--purge deletes all recorded calls/],
    [
      'a time without calls',
      ['--against', 'HEAD', '--since', '2090-01-01'],
      1,
      /No calls were recorded since 2090/,
    ],
  ])('rejects %s', async (_what, args, code, problem) => {
    await write(DEPLOYED);
    const outcome = await replay(...args);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(problem)]);
  });

  it('names the folder of a project that a commit does not have', async () => {
    const other = path.join(folder.path, 'services', 'other');
    await cp(project, other, { recursive: true });
    const { code, stderr } = await runCli(['replay', '--project', other, '--against', 'HEAD'], environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not have the folder services/other/')]);
  });

  it('names the file of a version that does not load', async () => {
    const broken = path.join(folder.path, 'broken');
    await writeFiles(broken, { 'endpoints/a.sql': 'SELECT 1' });
    const { code, stderr } = await replay('--against', broken);
    expect([code, stderr]).toEqual([1, expect.stringContaining('do not load: endpoints/a.sql')]);
  });

  it('stands apart in the usage, and writes nothing else', async () => {
    const usage = await server.rows('SELECT endpoint, purpose, requests FROM querygate_usage');
    expect(usage).toContainEqual({ endpoint: 'by-city', purpose: 'replay', requests: 0 });
    expect((await runCli(['replay', '--purge'], environment)).code).toBe(0);
    expect((await runCli(['replay', '--save'], environment)).stdout).toBe('');
    await server.run('DROP TABLE querygate_calls');
    expect((await replay('--against', 'HEAD')).stderr).toContain('The table of recorded calls is missing');
  });
});
