import { readFile, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';

/** One row of the table: what so many large responses at a time took. Bytes. */
export interface MemoryPeaks {
  readonly statuses: Readonly<Record<string, number>>;
  readonly responseBytes: number;
  readonly seconds: number;
  readonly clickhouse: Peak;
  readonly gateway: Peak;
}

/** Resident memory of a process: before, and the most that it was. */
export interface Peak {
  readonly before: number;
  readonly most: number;
}

export interface MemoryLoad {
  readonly url: string;
  readonly apiKey: string;
  /** Sent at the same time. */
  readonly requests: number;
  /** Process ids. */
  readonly clickhousePid: number;
  readonly gatewayPid: number;
}

/** Sends all requests at once, and reads the kernel's own peaks of both processes (Linux). */
export async function measureMemory(load: MemoryLoad): Promise<MemoryPeaks> {
  const pids = [load.clickhousePid, load.gatewayPid] as const;
  await Promise.all(pids.map(resetPeak));
  const [clickhouse, gateway] = await Promise.all(pids.map((pid) => residentOf(pid, 'VmRSS')));
  const startedAt = performance.now();
  const responses = await Promise.all(Array.from({ length: load.requests }, () => sendRequest(load)));
  const seconds = (performance.now() - startedAt) / 1000;
  const [clickhouseMost, gatewayMost] = await Promise.all(pids.map((pid) => residentOf(pid, 'VmHWM')));
  const statuses: Record<string, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    statuses,
    responseBytes: Math.max(...responses.map(({ bytes }) => bytes)),
    seconds,
    clickhouse: { before: clickhouse ?? NaN, most: clickhouseMost ?? NaN },
    gateway: { before: gateway ?? NaN, most: gatewayMost ?? NaN },
  };
}

/** A response is counted and dropped, so that this process does not compete for the memory that it measures. */
function sendRequest({
  url,
  apiKey,
}: MemoryLoad): Promise<{ readonly status: number; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    get(url, { agent, headers: { 'X-API-KEY': apiKey } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, bytes });
      });
    }).on('error', reject);
  });
}

/** proc_pid_clear_refs(5): 5 makes the peak what the process has now. */
const resetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

async function residentOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}
