import { summarise } from '../measuring/sampling.js';

/** Median of values of several rounds. */
export const median = (values: readonly number[]): number => summarise(values).median;

/** Ratios of two series of the same rounds, as their median and, in parentheses, their smallest and largest. */
export function formatRatio(values: readonly number[], of: readonly number[]): string {
  const ratios = values.map((value, round) => value / (of[round] ?? Number.NaN));
  const format = (ratio: number): string => ratio.toFixed(ratio < 10 ? 2 : 0);
  return `${format(median(ratios))} (${format(Math.min(...ratios))}–${format(Math.max(...ratios))})`;
}
