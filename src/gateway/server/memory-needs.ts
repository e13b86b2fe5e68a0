import { maxResponseBytes } from '../clickhouse/query-settings.js';
import type { Config } from '../config/config.js';

const MIB = 1024 * 1024;
/** MiB of a gateway under load with the smallest cache, as `npm run bench:memory -- --only churn` measures it. */
const BASE_MB = 330;
/** Memory of a full cache of small results, relative to its limit: entries need memory in addition to their bytes. */
const CACHE_SHARE = 1.2;

/** The expected memory of the process, in MiB. */
export interface MemoryNeeds {
  /** MiB with a full cache. */
  readonly memoryMb: number;
  /** MiB while the maximum number of concurrent queries return the largest results. */
  readonly maxMemoryMb: number;
}

/** The expected memory of a gateway with a configuration. */
export function memoryNeeds({ cache, queue, queryLimits }: Config): MemoryNeeds {
  const memoryMb = BASE_MB + Math.ceil((CACHE_SHARE * cache.memoryBytes) / MIB);
  const responseMb = Math.ceil(maxResponseBytes(queryLimits) / MIB);
  return { memoryMb, maxMemoryMb: memoryMb + queue.slots * responseMb };
}

/**
 * The memory limit of the container in MiB, where the limit is lower than what the gateway needs with a full cache.
 *
 * @param limitBytes limit of the container; 0 where there is none.
 */
export function lowMemoryLimit(
  { memoryMb }: MemoryNeeds,
  limitBytes = process.constrainedMemory(),
): number | undefined {
  const limitMb = Math.floor(limitBytes / MIB);
  return limitMb > 0 && limitMb < memoryMb ? limitMb : undefined;
}
