import { readdir, readFile } from 'node:fs/promises';

import { pollUntil } from './poll-until.js';

/** Suspends a process, and waits until each of its threads has stopped, because any other thread could still respond. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pollUntil('every thread has stopped', async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const states = await Promise.all(
      threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/status`, 'utf8')),
    );
    return states.every((status) => /^State:\s+T/m.test(status)) || undefined;
  });
}
