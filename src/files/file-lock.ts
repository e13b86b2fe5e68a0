import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { ifPresent } from './if-present.js';

/** Milliseconds to wait for the lock, and between two attempts. */
const TIMEOUT_MS = 5000;
const POLL_MS = 25;

export interface LockOptions {
  readonly timeoutMs?: number;
}

/**
 * Runs a task while it holds the lock `FILE.lock`. Takes over the lock of a process of this machine that has exited. Why
 * no library: docs/decisions/0019-a-lock-of-the-keys-file.md.
 *
 * @throws Error naming the lock and its owner when the lock is not released in time.
 */
export async function withFileLock<T>(
  file: string,
  task: () => Promise<T>,
  { timeoutMs = TIMEOUT_MS }: LockOptions = {},
): Promise<T> {
  const lock = `${file}.lock`;
  await acquire(lock, performance.now() + timeoutMs);
  try {
    return await task();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, deadline: number): Promise<void> {
  while (!(await create(lock))) {
    const owner = await ifPresent(readFile(lock, 'utf8'));
    if (owner === undefined || (hasExited(owner) && (await removeStaleLock(lock, owner)))) continue;
    if (performance.now() > deadline) {
      throw new Error(
        `${lock} is held by ${owner === '' ? 'another process' : owner.trim()}. ` +
          'Wait for that command to end; if there is no such command, delete the lock file.',
      );
    }
    await sleep(POLL_MS);
  }
}

/** Creates a lock file; false if it exists. Only one process at a time can succeed. */
async function create(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    await handle.writeFile(`process ${process.pid} on ${hostname()}\n`).finally(() => handle.close());
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const reason = code === 'ENOENT' ? 'the folder does not exist' : (cause as Error).message;
    throw new Error(`${lock} cannot be created: ${reason}`, { cause });
  }
}

/**
 * Deletes the lock of a process that has exited, under a guard lock. Two processes can find the stale lock, and the second must not
 * delete the new lock of the first. A guard whose process has exited is removed in the same way.
 */
async function removeStaleLock(lock: string, owner: string): Promise<boolean> {
  const guard = `${lock}.old`;
  if (!(await create(guard))) {
    const other = await ifPresent(readFile(guard, 'utf8'));
    if (other !== undefined && hasExited(other)) await removeStaleLock(guard, other);
    return false;
  }
  try {
    if ((await ifPresent(readFile(lock, 'utf8'))) === owner) await rm(lock, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

function hasExited(owner: string): boolean {
  const [, pid, host] = /^process (\d+) on (.+)\n$/.exec(owner) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
