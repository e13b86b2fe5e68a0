import { readFile, writeFile } from 'node:fs/promises';

/** Bytes of resident memory of a process (Linux): what it has now, or its peak. */
export async function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** Makes what the process has now its peak: proc_pid_clear_refs(5). */
export const resetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');
