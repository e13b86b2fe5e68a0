import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { withFileLock } from '../../../src/files/file-lock.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const pidOfExitedProcess = (): number => spawnSync(process.execPath, ['-e', '']).pid;

/** Runs five tasks that need the lock; fails if two of them run at the same time. */
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
  it('runs one task at a time and removes the lock when a task fails', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      await enterOneByOne(file);
      await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it.each([
    ['the lock of a process that has exited', ['f.lock']],
    ['a lock whose takeover was interrupted', ['f.lock', 'f.lock.old']],
  ])('takes over %s and runs one task at a time', async (_what, locks) => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      for (const lock of locks) {
        await writeFile(path.join(folder, lock), `process ${pidOfExitedProcess()} on ${hostname()}\n`);
      }
      await enterOneByOne(file);
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it.each([
    ['a running process', `process ${process.pid} on ${hostname()}\n`],
    ['a process on another machine', 'process 1 on elsewhere\n'],
    ['an unknown owner', ''],
  ])('times out on the lock of %s with an error that says what to do', async (_what, owner) => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'f');
      await writeFile(`${file}.lock`, owner);
      const waiting = withFileLock(file, () => Promise.resolve(), { timeoutMs: 60 });
      await expect(waiting).rejects.toThrow(/f\.lock is held by .*delete the lock file/);
      expect(await readdir(folder)).toEqual(['f.lock']);
    });
  });
});
