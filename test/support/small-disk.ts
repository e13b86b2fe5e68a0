import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHUNK = Buffer.alloc(64 * 1024);

/** A file system in memory, small enough to fill up. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills it to the last byte. */
  readonly fill: () => Promise<void>;
  /** Frees the space again. */
  readonly free: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Mounts a small disk; resolves to undefined if the process may not mount (neither root nor a privileged container). */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    process.stdout.write(`cannot mount a small disk: ${String(error)}
    `);
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
