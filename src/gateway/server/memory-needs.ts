import type { Config } from '../config/config.js';

const MIB = 1024 * 1024;
/** MiB of a gateway under load with the smallest cache: `npm run bench:memory -- --only churn`. */
const BASE_MB = 250;
/** MiB that the buffer of a response may reach, whatever the limit on its result. */
const MIN_RESPONSE_MB = 32;

/** What the process will need, in MiB. */
export interface MemoryNeeds {
  /** With a full cache. */
  readonly memoryMb: number;
  /** While as many queries as may run at a time return the largest results. */
  readonly maxMemoryMb: number;
}

/** The memory that a configuration leads to. */
export function memoryNeeds({ cache, queue, queryLimits }: Config): MemoryNeeds {
  const memoryMb = BASE_MB + Math.ceil(cache.memoryBytes / MIB);
  const responseMb = Math.max(MIN_RESPONSE_MB, Math.ceil(queryLimits.maxResultBytes / MIB));
  return { memoryMb, maxMemoryMb: memoryMb + queue.slots * responseMb };
}

/** The limit of the process's container in MiB; undefined where there is none. */
export function memoryLimitMb(): number | undefined {
  const bytes = process.constrainedMemory();
  // Without a limit it is 0, or more than any machine has.
  return bytes > 0 && bytes < 2 ** 50 ? Math.floor(bytes / MIB) : undefined;
}
