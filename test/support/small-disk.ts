import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHUNK = Buffer.alloc(64 * 1024);

/** A file system in memory, small enough to be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  readonly fill: () => Promise<void>;
  /** Undoes that. */
  readonly free: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Mounts one; undefined where this process may not mount, being neither root nor in a container with that right. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    process.stdout.write(`no small disk can be mounted: ${String(error)}\n`);
    await rm(folder, { recursive: true });
    return undefined;
  }
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: () => writeUntilFull(filler),
    free: () => rm(filler, { force: true }),
    close: async () => {
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}

async function writeUntilFull(filler: string): Promise<void> {
  const file = await open(filler, 'a');
  try {
    for (;;) await file.appendFile(CHUNK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}
