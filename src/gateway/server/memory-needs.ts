import { maxResponseBytes } from '../clickhouse/query-settings.js';
import type { Config } from '../config/config.js';

const MIB = 1024 * 1024;
/** MiB of a gateway under load with the smallest cache: `npm run bench:memory -- --only churn`. */
const BASE_MB = 330;
/** Of the limit of a cache with small results, whose entries take memory beside their bytes. */
const CACHE_SHARE = 1.2;

/** What the process will need, in MiB. */
export interface MemoryNeeds {
  /** With a full cache. */
  readonly memoryMb: number;
  /** While as many queries as may run at a time return the largest results. */
  readonly maxMemoryMb: number;
}

/** The memory that a configuration leads to. */
export function memoryNeeds({ cache, queue, queryLimits }: Config): MemoryNeeds {
  const memoryMb = BASE_MB + Math.ceil((CACHE_SHARE * cache.memoryBytes) / MIB);
  const responseMb = Math.ceil(maxResponseBytes(queryLimits) / MIB);
  return { memoryMb, maxMemoryMb: memoryMb + queue.slots * responseMb };
}

/**
 * The memory limit of the container in MiB, where it is lower than what the gateway needs with a full cache.
 *
 * @param limitBytes of the container; 0 where there is none.
 */
export function lowMemoryLimit(
  { memoryMb }: MemoryNeeds,
  limitBytes = process.constrainedMemory(),
): number | undefined {
  const limitMb = Math.floor(limitBytes / MIB);
  return limitMb > 0 && limitMb < memoryMb ? limitMb : undefined;
}
