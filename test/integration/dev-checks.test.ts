import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { DevProcess } from '../support/dev-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

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
  await mkdir(path.join(folder.path, 'endpoints'));
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
  const save = async (): Promise<void> => {
    await write('endpoints/same.sql', endpoint('same', 'SELECT 7 AS value'));
    await write('endpoints/same@2.sql', endpoint('same@2', 'SELECT 7 AS value'));
  };
  const both = await checksAfter(save, 'zz-after-both');
  expect(both.filter((line) => /^checked +same/.test(line))).toHaveLength(2);
  const again = await checksAfter(
    () => write('endpoints/same.sql', endpoint('same', 'SELECT 7 AS value').replace('For', 'Again for')),
    'zz-after-one',
  );
  expect(again.flatMap((line) => /^checked +(same\S*):/.exec(line)?.[1] ?? [])).toEqual(['same']);
});

it('reports why the columns of a file cannot be found once', async () => {
  const lines = await checksAfter(
    () => write('endpoints/wrong.sql', endpoint('wrong', 'SELECT no_such_column')),
    'zz-after-wrong',
  );
  expect(lines.filter((line) => line.includes('no_such_column`'))).toHaveLength(1);
});
