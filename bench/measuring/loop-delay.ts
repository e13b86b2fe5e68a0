import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import type { Environment, Stage } from '../stage.js';

const PRELOADED = new URL('../servers/loop-delay.js', import.meta.url);
const POLL_MS = 5;

/** The environment of a Node server whose event loop is measured. */
export function withLoopDelay({ folder }: Stage): Environment & { readonly LOOP_DELAY_FILE: string } {
  return {
    NODE_OPTIONS: `--import ${PRELOADED.href}`,
    LOOP_DELAY_FILE: path.join(folder, `loop-${generateApiKey().slice(-8)}`),
  };
}

/** The delay of a server's event loop since the last call: the p99.9 of a timer of 1 ms, in milliseconds. */
export async function takeLoopDelay(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return Number(text);
    await delay(POLL_MS);
  }
}
