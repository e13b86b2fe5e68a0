import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { withFileLock } from '../../files/file-lock.js';
import { ifPresent } from '../../files/if-present.js';
import { replaceFile } from '../../files/replace-file.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';

/** The record of a running embedded server, by which command-line tools of the same user connect to it. */
export interface RunningServer extends Omit<ClickHouseConnection, 'database'> {
  /** Process id of the gateway. */
  readonly pid: number;
}

/** A cold start reads half a gigabyte of library from disk. */
export const START_TIMEOUT_MS = 60_000;
const PAUSE_MS = 20;

/** Passwords of this process's own records: the first process of a container has the pid of its killed predecessor. */
const ownPasswords = new Set<string>();

const fileIn = (dataDir: string): string => path.join(dataDir, 'running-server.json');

/**
 * Takes a data folder for a server that is about to start: writes its record, readable by its owner only. At most one
 * living process has the folder; the record of a process that has ended is replaced.
 *
 * @throws Error naming the process that has the folder.
 */
export async function takeDataFolder(dataDir: string, server: RunningServer): Promise<void> {
  ownPasswords.add(server.password);
  try {
    // Under a lock: of two processes that find a dead record, the slower one must not replace that of the faster one.
    while (!(await withFileLock(fileIn(dataDir), () => recordUnlessOwned(dataDir, server)))) {
      const running = await findRunningServer(dataDir);
      if (running) throw inUse(dataDir, running);
    }
  } catch (error) {
    ownPasswords.delete(server.password);
    throw error;
  }
}

async function recordUnlessOwned(dataDir: string, server: RunningServer): Promise<boolean> {
  const file = fileIn(dataDir);
  const record = await readRecord(file);
  if (record && isOwned(record)) return false;
  await replaceFile(file, JSON.stringify(server), 0o600);
  return true;
}

/** Removes the record of a server that has ended, unless another server owns the folder by now. */
export async function releaseDataFolder(dataDir: string, { password }: RunningServer): Promise<void> {
  const record = await readRecord(fileIn(dataDir));
  if (record?.password === password) await rm(fileIn(dataDir), { force: true });
  ownPasswords.delete(password);
}

/**
 * The running server of a data folder; undefined if there is none. Waits for a server that is starting or restarting.
 *
 * @throws Error if the process that owns the folder is running, but its server does not respond in time.
 */
export async function findRunningServer(
  dataDir: string,
  withinMs = START_TIMEOUT_MS,
): Promise<RunningServer | undefined> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const server = await readRecord(fileIn(dataDir));
    if (!server || !isOwned(server)) return undefined;
    if (await respondsToPing(server.url)) return server;
    if (performance.now() > deadline) throw inUse(dataDir, server, withinMs);
    await delay(PAUSE_MS);
  }
}

/** Whether a ClickHouse server responds at a URL within a second. */
export async function respondsToPing(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/ping', url), { signal: AbortSignal.timeout(1000) });
    return response.ok && (await response.text()).trim() === 'Ok.';
  } catch {
    return false;
  }
}

/** The record in a file; undefined for a missing or incomplete one. */
async function readRecord(file: string): Promise<RunningServer | undefined> {
  const text = (await ifPresent(readFile(file, 'utf8'))) ?? '';
  try {
    const record = JSON.parse(text) as RunningServer | null;
    // 0 and negative numbers would mean groups of processes.
    return record && Number.isSafeInteger(record.pid) && record.pid > 0 ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process of a record lives. */
function isOwned({ pid, password }: RunningServer): boolean {
  if (pid === process.pid) return ownPasswords.has(password);
  try {
    return process.kill(pid, 0);
  } catch {
    // The process does not exist, or (EPERM) belongs to another user, who could not have written this record.
    return false;
  }
}

function inUse(dataDir: string, { pid }: RunningServer, silentMs?: number): Error {
  const remedy = 'Stop that gateway, or set DATA_DIR to another folder.';
  const silence =
    silentMs === undefined
      ? ''
      : ` Its ClickHouse has not responded for ${silentMs / 1000} s. ` +
        `If process ${pid} is no gateway, delete ${fileIn(dataDir)}.`;
  return new Error(
    `The data folder ${dataDir} is in use by the gateway with process id ${pid}. ${remedy}${silence}`,
  );
}
