import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { replaceFile, writeWhole } from '../../../src/files/replace-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe('a file that is written as a whole', () => {
  it('never goes through a link, in place of it or of its unfinished file, and leaves no other file', async () => {
    const [file, other] = [path.join(folder, 'rows.csv'), path.join(folder, 'other')];
    await writeFile(other, 'of somebody else');
    await symlink(other, file);
    await symlink(other, `${file}.${process.pid}.part`);
    for (const write of [
      () => replaceFile(file, 'rows', 0o600),
      () => writeWhole(file, (target) => pipeline(Readable.from(['rows']), target), 0o600),
    ]) {
      await write();
      expect([await readFile(file, 'utf8'), await readFile(other, 'utf8')]).toEqual([
        'rows',
        'of somebody else',
      ]);
      expect(await modeOf(file)).toBe(0o600);
      expect(await readdir(folder)).toEqual(['other', 'rows.csv', `rows.csv.${process.pid}.part`]);
    }
  });

  it('has the mode of the process where none is given, and else that, whatever the process withholds', async () => {
    const file = path.join(folder, 'a', 'endpoint.sql');
    await replaceFile(file, 'SELECT 1');
    const ordinary = path.join(folder, 'ordinary');
    await writeFile(ordinary, '');
    expect(await modeOf(file)).toBe(await modeOf(ordinary));
    await replaceFile(file, 'SELECT 2', 0o666);
    expect([await modeOf(file), await readFile(file, 'utf8')]).toEqual([0o666, 'SELECT 2']);
  });

  it('stays as it is, without an unfinished one beside it, where what writes it fails', async () => {
    const file = path.join(folder, 'rows.csv');
    await writeFile(file, 'before');
    const broken = async function* (): AsyncGenerator<string> {
      yield await Promise.resolve('a part');
      throw new Error('broken off');
    };
    await expect(writeWhole(file, (target) => pipeline(broken, target), 0o600)).rejects.toThrow('broken off');
    await chmod(folder, 0o500);
    if (process.getuid?.() !== 0) await expect(replaceFile(file, 'after')).rejects.toThrow('stays as it is');
    await chmod(folder, 0o700);
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['before', ['rows.csv']]);
  });

  it('is written to where it is a device', async () => {
    await replaceFile('/dev/null', 'text');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});
