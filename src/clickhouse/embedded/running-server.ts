import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseConnection } from '../connection.js';

/** The record of a running embedded server, with which command-line tools of the same user connect to it. */
export interface RunningServer extends Omit<ClickHouseConnection, 'database'> {
  /** Process id of the gateway. */
  readonly pid: number;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running-server.json');

/** Writes the record of a running server, readable by its owner only. */
export async function recordRunningServer(dataDir: string, server: RunningServer): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
  await writeFile(fileIn(dataDir), JSON.stringify(server), { mode: 0o600 });
}

/** Removes the record. */
export async function removeServerRecord(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/** The running server of a data folder, or undefined if there is none. */
export async function findRunningServer(dataDir: string): Promise<RunningServer | undefined> {
  let server: RunningServer;
  try {
    server = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as RunningServer;
  } catch {
    return undefined; // No record, or an incomplete one of a gateway that was killed.
  }
  return (await respondsToPing(server.url)) ? server : undefined;
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
