import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, link, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

import { releaseDataFolder, takeDataFolder } from './running-server.js';

/**
 * Runs a task with a copy of a data folder that no server uses. A server on the copy, which may have a later version, cannot change
 * the original.
 *
 * @throws Error where a server starts on the folder while it is copied.
 */
export async function withCopiedData<T>(dataDir: string, task: (copy: string) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(path.join(dataDir, 'copy-'));
  try {
    // No server that responds: others wait until the folder is released.
    const record = { url: 'http://127.0.0.1:1', username: '', password: randomUUID(), pid: process.pid };
    await takeDataFolder(dataDir, record);
    await copyDatabase(path.join(dataDir, 'clickhouse'), path.join(copy, 'clickhouse')).finally(() =>
      releaseDataFolder(dataDir, record),
    );
    return await task(copy);
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The rows of data parts, which ClickHouse never changes (its own backups share them too), are links; all else is copied. */
function copyDatabase(from: string, to: string): Promise<void> {
  const filter = async (file: string, target: string): Promise<boolean> => {
    const isOfPart = file.endsWith('.bin') && existsSync(path.join(path.dirname(file), 'checksums.txt'));
    if (isOfPart) await link(file, target);
    return !isOfPart;
  };
  return cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
}
