import { readdir, readFile } from 'node:fs/promises';

/**
 * User and system time of a process and its children, such as nginx's workers, in microseconds; NaN without /proc.
 * `schedstat` counts nanoseconds of each thread, where `stat` counts ticks of 10 ms; of threads that have ended it knows nothing:
 * https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export async function cpuMicroseconds(pid: number): Promise<number> {
  const tasks = await tasksOf(pid);
  if (tasks.length === 0) return Number.NaN;
  const own = await Promise.all(tasks.map((task) => readOf(`${task}/schedstat`)));
  const children = await Promise.all((await childrenOf(pid)).map(cpuMicroseconds));
  const nanoseconds = own.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
  return children.reduce((sum, each) => sum + each, nanoseconds / 1000);
}

/** A process and all that it started, directly or not. */
export async function processesOf(pid: number): Promise<readonly number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(processesOf));
  return [pid, ...below.flat()];
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const lists = await Promise.all((await tasksOf(pid)).map((task) => readOf(`${task}/children`)));
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

async function tasksOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/task`;
  const tasks = await readdir(folder).catch(() => []);
  return tasks.map((task) => `${folder}/${task}`);
}

const readOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
