import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { QUERYGATE, runCli, type Outcome } from '../support/run-cli.js';
import { startProcess, type RunningProcess } from '../support/start-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const KEY = 'qg_only-for-tests';
const VISITS = [
  'at,country,page,ms,zip',
  '2026-01-02T03:04:05Z,de,/a,12,01234',
  '2026-01-02T03:04:06Z,de,/b,,04321',
  '2026-01-02T03:04:07Z,fr,/a,9',
  '2026-01-02T03:04:08Z,fr,"/a, /c",7,99999',
  '',
].join('\r\n');

let temporary: TemporaryFolder;
let project: string;
let dev: RunningProcess;
let url: string;

/** Runs a command on the project whose `querygate dev` runs. */
const run = (...args: readonly string[]): Promise<Outcome> =>
  runCli(args, { PROJECT_DIR: project, QUERYGATE_URL: url, QUERYGATE_KEY: KEY });

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(temporary.path, name);
  await writeFile(file, content);
  return file;
}

const schemaFiles = (): Promise<string[]> => readdir(path.join(project, 'clickhouse-schema'));

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  project = path.join(temporary.path, 'shop');
  await runCli(['init', project]);
  dev = startProcess([QUERYGATE, 'dev', '--project', project], { PORT: '0', API_KEY: KEY });
  [, url = ''] = await dev.untilWritten(/Open (http:\S+?)\/? to run/);
}, 90_000);

afterAll(async () => {
  dev.child.kill('SIGTERM');
  await dev.ended;
  await temporary.remove();
});

describe('querygate load --create beside querygate dev', () => {
  it('makes an endpoint of a CSV file: load --create, new --table, call', async () => {
    const csv = await fileOf('visits.csv.gz', gzipSync(VISITS));
    expect(await run('load', 'visits', csv, '--create')).toEqual({
      code: 1,
      stdout: '3 lines loaded, 1 rejected\n',
      stderr: `created clickhouse-schema/0002_visits.sql
line 4: 4 fields, but the first line names 5 columns
Next: npx querygate new visits --table visits\n`,
    });
    expect(await readFile(path.join(project, 'clickhouse-schema/0002_visits.sql'), 'utf8')).toMatch(
      `CREATE TABLE IF NOT EXISTS visits
(
    at DateTime64(3, 'UTC'),
    country String,
    page String,
    ms Nullable(Int64),
    zip String
)
ENGINE = MergeTree
ORDER BY at;
`,
    );

    expect(await run('new', 'visits', '--table', 'visits')).toMatchObject({
      code: 0,
      stdout: 'endpoints/visits.sql\n',
      stderr: expect.stringMatching(
        /^The newest rows .*: set since=2026-01-02T00:00:00Z\nIts test is .*\nNext: /,
      ) as string,
    });
    await dev.untilWritten(/reloaded {2}added visits/);
    const called = await run('call', 'visits', '--param', 'since=2026-01-02T03:04:06Z', '--format', 'csv');
    expect(called).toEqual({
      code: 0,
      stdout:
        '"at","country","page","ms","zip"\r\n' +
        '"2026-01-02T03:04:08.000Z","fr","/a, /c",7,"99999"\r\n' +
        '"2026-01-02T03:04:06.000Z","de","/b",,"04321"\r\n',
      stderr: '',
    });
  });

  it('gives two tables that are created at the same time numbers of their own', async () => {
    const ndjson = await fileOf('rows.ndjson', '{"level":"info","n":1}\n{"level":"info","n":2}\n');
    const both = await Promise.all(
      ['first', 'second'].map((table) => run('load', table, ndjson, '--create', '--json')),
    );
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    for (const { stdout } of both) expect(JSON.parse(stdout)).toMatchObject({ loaded: 2, refused: 0 });
    const names = await schemaFiles();
    expect(names.map((name) => name.slice(0, 4)).sort()).toEqual(['0001', '0002', '0003', '0004']);
    expect(dev.stderr()).not.toMatch(/same number/);
  });

  it('points out a name that is perhaps a value of a file without names', async () => {
    const csv = await fileOf('nameless.csv', 'ann,2026-01-01\nbob,2026-01-02\n');
    expect(await run('load', 'nameless', csv, '--create')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^created \S+_nameless\.sql; `2026-01-01` of the first line became a name: if it is a value, the file lacks a line of names\n/,
      ) as string,
    });
  });

  it('refuses a table that exists, and a name that is none', async () => {
    const csv = await fileOf('a.csv', 'a\n1\n');
    const before = await schemaFiles();
    const outcomes = await Promise.all([
      run('load', 'requests', csv, '--create'),
      run('load', 'odd.name', csv, '--create'),
      run('load', 'querygate_x', csv, '--create'),
      run('load', 'absent', csv),
      run('load', 'absent', csv, '--format', 'xml'),
      run('new', 'requests.of', '--table', 'absent'),
      run('new', 'requests.of', '--table', 'requests', '--ts'),
    ]);
    expect(outcomes.map(({ code, stderr }) => [code, stderr.split('\n', 1)[0]])).toEqual([
      [1, expect.stringContaining('the table requests exists. Nothing was loaded: leave --create away')],
      [2, expect.stringContaining('the name of a table must consist of letters, digits and “_”')],
      [2, expect.stringContaining('querygate_x is a name of the gateway’s own tables')],
      [1, expect.stringContaining('To add one, load with --create')],
      [2, expect.stringContaining('Allowed choices are ndjson, csv, tsv')],
      [2, expect.stringContaining('There is no table absent')],
      [2, expect.stringContaining("'--ts' cannot be used with option '--table")],
    ]);
    expect(await schemaFiles()).toEqual(before);
  });

  it('leaves no schema file behind where ClickHouse rejects the table', async () => {
    const before = await schemaFiles();
    const { code, stderr } = await run(
      'load',
      'rejected',
      await fileOf('b.ndjson', '{"_row_exists":1}\n'),
      '--create',
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/ClickHouse rejects the inferred table, and .*_rejected\.sql was removed again/),
    ]);
    expect(await schemaFiles()).toEqual(before);
  });
});

describe('querygate new --table', () => {
  it('reads the schema files where no gateway runs', async () => {
    const folder = path.join(temporary.path, 'other');
    await runCli(['init', folder]);
    const made = await runCli(['new', 'requests.all', '--table', 'requests', '--project', folder]);
    expect([made.code, made.stdout]).toEqual([0, 'endpoints/requests.all.sql\n']);
    expect(await readFile(path.join(folder, made.stdout.trim()), 'utf8')).toContain('FROM requests');
  });
});
