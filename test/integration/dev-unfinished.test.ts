import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { runCli } from '../support/run-cli.js';
import { DevProcess } from '../support/dev-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** A file without an id. */
const TEXT = `/*
name: begun
summary: For a test of querygate dev.
columns: { value: String }
*/
SELECT 'begun' AS value
`;

let temporary: TemporaryFolder;
let dev: DevProcess;
let file: string;
beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  await runCli(['init', temporary.path]);
  file = path.join(temporary.path, 'endpoints/begun.sql');
  dev = DevProcess.start(temporary.path, {});
  await dev.until(/checked {3}all \d+ endpoints/);
}, 90_000);
afterAll(async () => {
  await dev.stop();
  await temporary.remove();
});

describe('querygate dev with a file that somebody is writing', () => {
  let offered = '';

  it('offers a template with a new id for an empty file, and calls it no mistake', async () => {
    await writeFile(file, '');
    [, offered = ''] = await dev.until(
      /waiting {3}for the text of endpoints\/begun\.sql[^]*\nname: begun\nid: (\S{36})\n/,
    );
    expect((await dev.state()).problems).toEqual([]);
  });

  it('waits for the rest of a header without an end', async () => {
    await writeFile(file, TEXT.slice(0, 40));
    await dev.until(/waiting {3}for the rest of endpoints\/begun\.sql: its header has no end yet/);
    expect((await dev.state()).problems).toEqual([]);
  });

  it('writes an id that is missing, and serves the file', async () => {
    await writeFile(file, TEXT);
    const [, written = ''] = await dev.until(
      /wrote {5}the id (\S{36}) into the header of endpoints\/begun\.sql/,
    );
    await dev.untilValue('begun', 'begun');
    expect(await readFile(file, 'utf8')).toBe(TEXT.replace('name: begun', `id: ${written}\nname: begun`));
    expect(written).not.toBe(offered);
    expect((await dev.state()).problems).toEqual([]);
    await rm(file);
  });
});
