import { readdir, readFile } from 'node:fs/promises';

/** A tick of /proc/PID/stat: proc(5). It is 10 ms on every Linux that Node runs on. */
const TICK_MICROSECONDS = 10_000;

/** User and system time of a process and its children, such as nginx's workers, in microseconds; NaN without /proc. */
export async function cpuMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the command is in parentheses and may contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
  const children = await Promise.all((await childrenOf(pid)).map(cpuMicroseconds));
  return children.reduce((sum, each) => sum + each, own);
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}
