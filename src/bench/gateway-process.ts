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

/** Starts a module that listens on the PORT of its environment, a free one where none is given, and waits until it does. */
export async function startServing(
  module: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServingProcess> {
  const port = env['PORT'] ?? String(await freePort());
  const child = fork(module, args, {
    env: { ...env, PORT: port },
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

/** Processes that run, and the signal that ends each. */
const running = new Map<ChildProcess, NodeJS.Signals>();

function endRunning(): void {
  for (const [child, signal] of running) child.kill(signal);
}

/** A benchmark that is interrupted leaves nothing behind. */
export function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (running.size === 0) process.once('exit', endRunning);
  running.set(child, signal);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endRunning);
  });
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
