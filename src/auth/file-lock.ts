import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for another command, and how often to look, in milliseconds. */
const PATIENCE_MS = 5000;
const LOOK_MS = 25;

export interface LockOptions {
  readonly patienceMs?: number;
}

/**
 * Does something to a file while no other process that asks first does: `FILE.lock` exists meanwhile. One left behind
 * by a process of this machine that is gone is taken over. Why no library: docs/decisions/0019-a-lock-of-the-keys-file.md.
 *
 * @throws Error naming the lock and its holder, where it is not given up in time.
 */
export async function withFileLock<T>(
  file: string,
  task: () => Promise<T>,
  { patienceMs = PATIENCE_MS }: LockOptions = {},
): Promise<T> {
  const lock = `${file}.lock`;
  await acquire(lock, performance.now() + patienceMs);
  try {
    return await task();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, deadline: number): Promise<void> {
  while (!(await create(lock))) {
    const owner = await readIfThere(lock);
    if (owner === undefined || (isGone(owner) && (await removeStaleLock(lock, owner)))) continue;
    if (performance.now() > deadline) {
      throw new Error(
        `${lock} is held by ${owner === '' ? 'another process' : owner.trim()}. ` +
          'Wait for its command to end; if there is none, delete that file.',
      );
    }
    await sleep(LOOK_MS);
  }
}

/** Whether it was made, which only one process at a time can. */
async function create(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    await handle.writeFile(`process ${process.pid} on ${hostname()}\n`).finally(() => handle.close());
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const reason = code === 'ENOENT' ? 'there is no such folder' : (cause as Error).message;
    throw new Error(`${lock} can’t be made: ${reason}`, { cause });
  }
}

/**
 * Deletes the lock of a process that is gone, under a lock of its own: of two processes that find it, the second must
 * not delete the lock which the first has made in its place. A guard whose process is gone is taken away likewise.
 */
async function removeStaleLock(lock: string, owner: string): Promise<boolean> {
  const guard = `${lock}.old`;
  if (!(await create(guard))) {
    const other = await readIfThere(guard);
    if (other !== undefined && isGone(other)) await removeStaleLock(guard, other);
    return false;
  }
  try {
    if ((await readIfThere(lock)) === owner) await rm(lock, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

function isGone(owner: string): boolean {
  const [, pid, host] = /^process (\d+) on (.+)\n$/.exec(owner) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
