import { readdir, readFile } from 'node:fs/promises';

/**
 * User and system time of a process and its children, such as nginx's workers, in microseconds; NaN without /proc.
 * `schedstat` counts nanoseconds of each thread, where `stat` counts ticks of 10 ms:
 * https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export async function cpuMicroseconds(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => undefined);
  if (!tasks) return Number.NaN;
  const ofTasks = await Promise.all(
    tasks.map(async (task) => {
      const folder = `/proc/${pid}/task/${task}`;
      const [own = '', children = ''] = await Promise.all(
        ['schedstat', 'children'].map((name) => readFile(`${folder}/${name}`, 'utf8').catch(() => '')),
      );
      const ofChildren = await Promise.all(
        children.split(' ').filter(Boolean).map(Number).map(cpuMicroseconds),
      );
      return ofChildren.reduce((sum, each) => sum + each, Number(own.split(' ')[0]) / 1000);
    }),
  );
  return ofTasks.reduce((sum, each) => sum + each, 0);
}
