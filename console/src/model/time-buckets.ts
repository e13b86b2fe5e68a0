import { instantOf, UTC, wallTime } from './zone.js';

export const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

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

/** The grid of buckets on which the times of a chart are, before and after them too. */
export interface Buckets {
  /** Start of one bucket, in the local time of the zone. */
  readonly anchor: number;
  /** Zone of the calendar of days and longer buckets. */
  readonly zone: string;
  /** Seconds by these clocks; of months the fewest. */
  readonly seconds: number;
  /** Number of months in a bucket; 0 for other buckets. */
  readonly months: number;
}

/** Months that have days from one number to another. */
const CALENDAR = [
  [1, 28, 31],
  [3, 90, 92],
  [12, 365, 366],
] as const;

/**
 * The buckets that begin at these times; undefined where the times are those of events.
 *
 * @param isDate whether the times are what clocks show, as dates are.
 */
export function bucketsOf(times: readonly number[], zone: string, isDate = false): Buckets | undefined {
  const [[first = 0], bucket] = [times, bucketOf(times)];
  if (bucket === undefined) return undefined;
  // Days have 23 or 25 hours where clocks change.
  if (bucket < 23 * HOUR) return { anchor: first, zone: UTC, seconds: bucket, months: 0 };
  const anchor = isDate ? first : wallTime(first, zone);
  const days = Math.round(bucket / DAY);
  const isFirst = new Date(dayOf(anchor) * 1000).getUTCDate() === 1;
  const [months] = CALENDAR.find(([, least, most]) => isFirst && days >= least && days <= most) ?? [0];
  return { anchor, zone, seconds: days * DAY, months };
}

/** The start of the bucket that a time is in, or of the one that is `by` buckets later. */
export function startOf({ anchor, zone, seconds, months }: Buckets, at: number, by = 0): number {
  const wall = wallTime(at, zone);
  const nth = (from: number, to: number, length: number): number =>
    from + (Math.floor((to - from) / length + 1e-6) + by) * length;
  if (months === 0) return instantOf(nth(anchor, wall, seconds), zone);
  // Months of another zone than this begin some hours before or after midnight.
  const rest = anchor - dayOf(anchor);
  const month = nth(monthOf(anchor - rest), monthOf(wall - rest), months);
  return instantOf(Date.UTC(1970, month) / 1000 + rest, zone);
}

const dayOf = (wall: number): number => Math.round(wall / DAY) * DAY;

/** Months since 1970. */
function monthOf(wall: number): number {
  const date = new Date(wall * 1000);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
