import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { ClickHouseConnection } from '../clickhouse/connection.js';
import { freePort } from '../clickhouse/embedded/free-port.js';

/** A process that serves, for the benchmark to ask. */
export interface ServingProcess {
  readonly url: string;
  readonly process: ChildProcess;
  readonly stop: () => Promise<void>;
}

/** Starts the gateway, out of the same build, on a ClickHouse server. */
export function startGateway(
  { url, username, password }: ClickHouseConnection,
  apiKey: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ServingProcess> {
  return startServing(fileURLToPath(new URL('../main.js', import.meta.url)), [], {
    API_KEY: apiKey,
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_PASSWORD: password,
    ...more,
  });
}

/** Starts a module that listens on the PORT of its environment, and waits until it does. */
export async function startServing(
  module: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServingProcess> {
  const port = await freePort();
  const child = fork(module, args, {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  endWithThisProcess(child);
  const url = `http://127.0.0.1:${port}`;
  await waitUntilServing(url, child, module);
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  return { url, process: child, stop };
}

/** A benchmark that is interrupted leaves nothing behind. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

/**
 * Waits until a process answers HTTP.
 *
 * @throws Error when it ends instead.
 */
export async function waitUntilServing(url: string, child: ChildProcess, name: string): Promise<void> {
  while (!(await accepts(url))) {
    if (child.exitCode !== null) throw new Error(`${name} ended before it was ready`);
    await delay(20);
  }
}

async function accepts(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/health/live`)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
