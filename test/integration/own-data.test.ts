import { cp, lstat, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { QUERYGATE, runAlone, runCli, type Outcome } from '../support/run-cli.js';
import { startProcess } from '../support/start-process.js';
import { makeTemporaryFolder, withTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

const ON_OWN_DATA = 'checked on the data in';

const temporary = openForAll(makeTemporaryFolder);
let project: string;
const run = (...args: readonly string[]): Promise<Outcome> => runCli(args, { PROJECT_DIR: project });
/** State and rows of the endpoint in the table that `check` prints. */
const visitsIn = ({ stdout }: Outcome): readonly string[] =>
  /^visits\.list +(\S+(?: rows)?) +(\d+)/m.exec(stdout)?.slice(1) ?? [];

/** Each file of a folder with its inode, times and size. */
async function stateOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const states = files.map(async (file) => {
    const { ino, mtimeMs, size } = await lstat(file);
    return `${path.relative(folder, file)} ${ino} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(states)).sort();
}

beforeAll(async () => {
  project = path.join(temporary.path, 'shop');
  await runCli(['init', project]);
  const file = path.join(temporary.path, 'visits.csv');
  await writeFile(file, 'at,country\n2026-01-02T03:04:05Z,de\n2026-01-02T03:04:06Z,fr\n');
  expect((await run('load', '--create', 'visits', file)).code).toBe(0);
  expect(await run('new', 'visits.list', '--table', 'visits')).toMatchObject({ code: 0 });
});

describe('querygate check in a project with data of its own', () => {
  it('checks on that data where no gateway runs, and says so', async () => {
    const checked = await run('check', 'visits.list');
    expect([checked.code, visitsIn(checked)]).toEqual([0, ['ok', '2']]);
    expect(checked.stderr).toContain(ON_OWN_DATA);
  });

  it('changes nothing of the data, also where files of the schema are not applied to it yet', async () => {
    const data = path.join(project, '.data');
    const before = await stateOf(data);
    const more = path.join(project, 'clickhouse-schema/0009_more.sql');
    await writeFile(
      more,
      'ALTER TABLE visits ADD COLUMN more UInt8 DEFAULT 7;\nALTER TABLE visits DELETE WHERE 1 SETTINGS mutations_sync = 1;\n',
    );
    try {
      const checked = await run('check', 'visits.list');
      expect([checked.code, checked.stderr, visitsIn(checked)]).toEqual([
        0,
        expect.stringContaining(ON_OWN_DATA),
        ['warning', '0'],
      ]);
    } finally {
      await rm(more);
    }
    expect(await stateOf(data)).toEqual(before);
    // A backup is this folder, copied while no gateway runs.
    const saved = path.join(temporary.path, 'saved');
    await cp(data, saved, { recursive: true, verbatimSymlinks: true });
    await rm(data, { recursive: true });
    await cp(saved, data, { recursive: true, verbatimSymlinks: true });
    expect(visitsIn(await run('check', 'visits.list'))).toEqual(['ok', '2']);
  });

  it('checks on a temporary server with demonstration data with --demo, and does not call a result without rows ok', async () => {
    const checked = await run('check', 'visits.list', 'requests.by-path', '--demo');
    expect([checked.code, visitsIn(checked)]).toEqual([0, ['no rows', '0']]);
    expect(checked.stdout).toMatch(/^requests\.by-path +ok +[1-9]/m);
    expect(checked.stderr).not.toContain(ON_OWN_DATA);
  });

  it('checks through the gateway that runs; querygate dev checks all endpoints at its start', async () => {
    const dev = startProcess([QUERYGATE, 'dev'], { PORT: '0', PROJECT_DIR: project });
    try {
      await dev.untilWritten(/checked {3}all 6 endpoints: 0 with a fault, \d with a warning/);
      const checked = await run('check', 'visits.list');
      expect([checked.code, visitsIn(checked)]).toEqual([0, ['ok', '2']]);
      expect(await run('new', 'visits.more', '--table', 'visits')).toMatchObject({ code: 0 });
    } finally {
      dev.child.kill('SIGINT');
      await dev.ended;
    }
  });
});

describe('querygate dev', () => {
  it('stops in a folder that is no project, and names the command that makes one', async () => {
    await withTemporaryFolder(async (folder) => {
      expect(await runAlone(['dev'], { PROJECT_DIR: folder })).toEqual({
        code: 1,
        stdout: '',
        stderr: `error: ${folder} is no project: it has no folder endpoints. Create a project with npx querygate init, or name its folder with --project.\n`,
      });
    });
  });
});
