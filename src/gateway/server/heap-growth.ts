import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** Between two looks at the heap, which take microseconds. */
const LOOK_MS = 250;
/** Bytes that may be added between two collections, also to a small heap. */
const FREE_GROWTH = 64 * MIB;
const [LEAST_PERCENT, MOST_PERCENT] = [50, 200];
/** Of this many percent is each step, so that the flag seldom changes. */
const STEP_PERCENT = 50;

/**
 * By how many percent a heap may grow until V8 collects the garbage of all of it.
 *
 * New buffers count as growth, but those that were there do not count as heap: of a small heap that may grow by 50 % only, the
 * buffers of an export alone cause a collection for each 20 MB, which takes more CPU time than the export.
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
