import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { withFileLock } from '../../../src/auth/file-lock.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const pidOfNobody = (): number => spawnSync(process.execPath, ['-e', '']).pid;

/** Has five tasks want the lock at once; fails where two of them are in. */
async function enterOneByOne(file: string): Promise<void> {
  let inside = 0;
  const enter = (): Promise<void> =>
    withFileLock(file, async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 5 }, enter));
}

describe('withFileLock', () => {
  it('lets one in at a time, and goes when the task fails', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      await enterOneByOne(file);
      await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it.each([
    ['the lock of a process that is gone', ['f.lock']],
    ['a lock whose taking over was killed', ['f.lock', 'f.lock.old']],
  ])('takes over %s, one at a time', async (_what, locks) => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      for (const lock of locks) {
        await writeFile(path.join(folder, lock), `process ${pidOfNobody()} on ${hostname()}\n`);
      }
      await enterOneByOne(file);
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it.each([
    ['a process that lives', `process ${process.pid} on ${hostname()}\n`],
    ['a process of another machine', 'process 1 on elsewhere\n'],
    ['a lock that says nothing', ''],
  ])('gives up on %s, and says what to do', async (_what, owner) => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      await writeFile(`${file}.lock`, owner);
      const waiting = withFileLock(file, () => Promise.resolve(), { patienceMs: 60 });
      await expect(waiting).rejects.toThrow(/f\.lock is held by .*delete that file/);
      expect(await readdir(folder)).toEqual(['f.lock']);
    });
  });
});
