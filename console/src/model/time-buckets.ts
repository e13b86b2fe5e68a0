export const MINUTE = 60;
const HOUR = 3600;

/** Local time differs from UTC by a multiple of this. */
const QUARTER = HOUR / 4;

/** Distinct times in ascending order. */
export const timesOf = (times: readonly number[]): readonly number[] =>
  [...new Set(times)].sort((left, right) => left - right);

/**
 * The seconds between the starts of neighbouring buckets; undefined where the times are those of events. For buckets of the
 * calendar, such as months, and days with a change of clocks, the fewest seconds.
 *
 * @param times distinct, in ascending order, at least two.
 */
export function bucketOf(times: readonly number[]): number | undefined {
  const [start = 0] = times;
  const steps = stepsOf(times);
  const step = steps.reduce((least, one) => Math.min(least, one), Infinity);
  const grid = step < HOUR ? step : QUARTER;
  if (!times.every((at) => isWhole((at - start) / grid))) return undefined;
  // All times are whole seconds apart where they have no fractions, those of events too.
  const isUsual = 2 * steps.filter((one) => one === step).length >= steps.length;
  return step >= MINUTE || isUsual ? step : undefined;
}

/** The times with one more in each gap, a time for which there is no bucket. */
export function withMissing(times: readonly number[], bucket: number): readonly number[] {
  const steps = stepsOf(times);
  return times.flatMap((at, index) => ((steps[index] ?? 0) > 1.5 * bucket ? [at, at + bucket] : [at]));
}

const stepsOf = (times: readonly number[]): readonly number[] =>
  times.slice(1).map((at, index) => at - (times[index] ?? 0));

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;
