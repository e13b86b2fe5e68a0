import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** Milliseconds between two reads of the heap size, which take microseconds each. */
const LOOK_MS = 250;
/** Bytes that even a small heap may grow by between two garbage collections. */
const FREE_GROWTH = 64 * MIB;
const [LEAST_PERCENT, MOST_PERCENT] = [50, 200];
/** The limit changes in steps of this percentage, so that the flag seldom changes. */
const STEP_PERCENT = 50;

/**
 * By how many percent a heap may grow until V8 collects all of its garbage.
 *
 * V8 counts new buffers as growth, but old buffers not as a part of the heap. If a small heap could grow by 50 % only, the buffers
 * of an export would cause a collection for each 20 MB. These take more CPU time than the export.
 *
 * @param bytes of the heap, without buffers.
 */
export function growthPercent(bytes: number): number {
  const percent = Math.floor((100 * FREE_GROWTH) / bytes / STEP_PERCENT) * STEP_PERCENT;
  return Math.min(Math.max(percent, LEAST_PERCENT), MOST_PERCENT);
}

/**
 * Bounds the growth of the heap. By default V8 lets a heap of a few hundred megabytes double before it collects garbage, which
 * would exceed the memory that `CACHE_MEMORY_MB` suggests.
 */
export function boundHeapGrowth(): void {
  let current = 0;
  const adapt = (): void => {
    const percent = growthPercent(getHeapStatistics().used_heap_size);
    if (percent === current) return;
    current = percent;
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  adapt();
  setInterval(adapt, LOOK_MS).unref();
}
