import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { DevProcess } from '../support/dev-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const TABLE = 'CREATE TABLE items (at DateTime) ENGINE = MergeTree PARTITION BY toDate(at) ORDER BY at;\n';

let folder: TemporaryFolder;
let dev: DevProcess;

const write = (file: string, text: string): Promise<void> => writeFile(path.join(folder.path, file), text);

/** An endpoint without columns and id. */
const endpoint = (name: string, select: string): string => `/*
name: ${name}
summary: For a test of checks.
*/
${select}
`;

/** Waits until everything that was saved before is checked, and returns what was written about it since. */
async function checksAfter(save: () => Promise<unknown>, last: string): Promise<readonly string[]> {
  const { length } = dev.process.stdout();
  await save();
  await write(`endpoints/${last}.sql`, endpoint(last, `SELECT '${last}' AS value`));
  await dev.until(new RegExp(`checked +${last}:`));
  return dev.process.stdout().slice(length).split('\n');
}

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  for (const each of ['endpoints', 'clickhouse-schema', 'tests']) await mkdir(path.join(folder.path, each));
  await write('clickhouse-schema/0001_items.sql', TABLE);
  await write('endpoints/one.sql', endpoint('one', 'SELECT 1 AS value'));
  dev = DevProcess.start(folder.path, { environment: { LOG_LEVEL: 'info' } });
  await dev.until(/checked +all/);
});

afterAll(async () => {
  dev.process.child.kill('SIGKILL');
  await dev.process.ended;
  await folder.remove();
});

it('reports the check of each of the files that are saved together once', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `union-${index}`);
  const select = (name: string): string =>
    `SELECT '${name}' AS value UNION ALL SELECT 'b' AS value ORDER BY value`;
  const save = async (): Promise<void> => {
    for (const name of names) await write(`endpoints/${name}.sql`, endpoint(name, select(name)));
  };
  const lines = await checksAfter(save, 'zz-after-unions');
  const matching = (pattern: RegExp): readonly string[] =>
    lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).sort();
  expect(matching(/^checked +(union-\d):/)).toEqual(names);
  expect(matching(/^warning: (union-\d): ORDER BY/)).toEqual(names);
});

it('reports a check under the name of the endpoint that was saved, whatever others have its query', async () => {
  const save = (name: string, summary: string) => async (): Promise<void> => {
    const text = endpoint(name, 'SELECT 7 AS value').replace('For a test', summary);
    await write(`endpoints/${name}.sql`, text);
  };
  const checked = async (last: string, ...saved: readonly (() => Promise<void>)[]): Promise<unknown> => {
    const lines = await checksAfter(() => Promise.all(saved.map((each) => each())), last);
    return lines.flatMap((line) => /^checked +(same\S*):/.exec(line)?.[1] ?? []).sort();
  };
  expect(await checked('zz-both', save('same', 'One'), save('same@2', 'Two'))).toEqual(['same', 'same@2']);
  expect(await checked('zz-one', save('same', 'Three'))).toEqual(['same']);
  expect(await checked('zz-two', save('same@2', 'Four'))).toEqual(['same@2']);
});

it('warns, on the terminal and in the console, that results are not composed of pieces, as check does', async () => {
  const header = `parameters:
  from: { kind: timestamp, default: '2026-01-01', description: Begin. }
  to: { kind: timestamp, default: '2026-01-02', description: End. }
caching: until-changed
pieces: { table: items, time: at, bucket: at, from: from, to: to }
columns: { at: DateTime, n: UInt64 }
`;
  const select = `SELECT toStartOfHour(at) AS at, count() AS n FROM items
WHERE at >= @from AND at < @to GROUP BY at ORDER BY at`;
  const text = endpoint('hours', select).replace('*/', `${header}*/`);
  const lines = await checksAfter(() => write('endpoints/hours.sql', text), 'zz-hours');
  const warnings = ['WHERE uses at', 'its results are not composed of pieces'].map(
    (text) => expect.stringContaining(text) as string,
  );
  expect(lines.filter((line) => line.startsWith('warning: hours'))).toEqual(warnings);
  const { body } = await dev.get('/api/dev/endpoints/hours');
  expect(body).toMatchObject({ findings: { warnings } });
});

it('reports why the columns of a file cannot be found once', async () => {
  const lines = await checksAfter(
    () => write('endpoints/wrong.sql', endpoint('wrong', 'SELECT no_such_column')),
    'zz-after-wrong',
  );
  expect(lines.filter((line) => line.includes('no_such_column`'))).toHaveLength(1);
  await rm(path.join(folder.path, 'endpoints/wrong.sql'));
  await dev.until(/all files are valid|removed wrong/);
});

it('says of a new file what it wrote and found alone, also while tests of other files run', async () => {
  const before = dev.process.stderr();
  await write('tests/one.yaml', 'calls:\n  - rows: [{ value: 1 }]\n');
  await dev.until(/ok {2}tests\/one\.yaml/);
  const paged = endpoint('paged', 'SELECT toDate(0) AS at, 1 AS id').replace(
    '*/',
    'pages: { by: [at, id] }\n*/',
  );
  const lines = await checksAfter(async () => {
    await write('endpoints/paged.sql', paged);
    await write('tests/one.yaml', 'calls:\n  - rows: [{ value: 2 }]\n');
    await dev.until(/failed {2}tests\/one\.yaml/);
  }, 'zz-paged');
  expect(lines.filter((line) => /did not run|^error/.test(line))).toEqual([]);
  expect(dev.process.stderr()).toBe(before);
  await dev.until(/checked +paged:/);
});
