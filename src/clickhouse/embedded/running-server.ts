import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseConnection } from '../connection.js';

/** What a running embedded server tells the command-line tools of the same user: how to reach it as its administrator. */
export interface RunningServer extends Omit<ClickHouseConnection, 'database'> {
  /** The gateway's process. */
  readonly pid: number;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running-server.json');

/** Leaves word of a running server, readable by its owner alone. */
export async function announceServer(dataDir: string, server: RunningServer): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
  await writeFile(fileIn(dataDir), JSON.stringify(server), { mode: 0o600 });
}

/** Takes the word back. */
export async function withdrawServer(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/** The server that runs on a data folder, or undefined where none does. */
export async function findRunningServer(dataDir: string): Promise<RunningServer | undefined> {
  let server: RunningServer;
  try {
    server = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as RunningServer;
  } catch {
    return undefined; // No server has left word, or it died while it did.
  }
  return (await respondsToPing(server.url)) ? server : undefined;
}

/** Whether a ClickHouse server answers there within a second. */
export async function respondsToPing(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/ping', url), { signal: AbortSignal.timeout(1000) });
    return response.ok && (await response.text()).trim() === 'Ok.';
  } catch {
    return false;
  }
}
