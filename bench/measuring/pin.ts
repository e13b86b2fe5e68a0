import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

import { hasProgram } from '../servers/server-process.js';
import { processesOf } from './cpu-time.js';

/** The core of a server that is measured; the load, ClickHouse and everything else share the other. */
const [OTHERS, MEASURED] = [0, 1];

/** Whether processes can be pinned to cores: on a machine with several, and `taskset` (util-linux). */
export const canPin = (): boolean => availableParallelism() > 1 && hasProgram('taskset');

/** Leaves a core to one server: this process and everything else that it started use another. */
export async function leaveCoreTo(server: number): Promise<void> {
  const measured = new Set(await processesOf(server));
  for (const pid of await processesOf(process.pid)) pin(pid, measured.has(pid) ? MEASURED : OTHERS);
}

function pin(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
    stdio: 'ignore',
  });
}
