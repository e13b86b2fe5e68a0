import { cellText, labelText } from './display.js';
import type { Row } from './endpoint.js';
import { addExact, isExact } from './exact-number.js';

/** A bar: the exact sum of a number over the rows with a label. */
export interface Bar {
  readonly label: string;
  /** The value that the label names; absent for null, and for the bar of several labels. */
  readonly value?: string;
  readonly text: string;
  /** Of the number, rounded. */
  readonly height: number;
  /** Whether it adds up what has no bar of its own. */
  readonly isRest?: boolean;
}

/** More bars than this say less than the table. */
const MOST = 10;

/**
 * A bar for each of the labels with the highest sums, and one for all others.
 *
 * @param number a column without negative values.
 */
export function topBars(
  rows: readonly Row[],
  label: string,
  number: string,
): { readonly bars: readonly Bar[]; /** Whether a bar adds up several rows. */ readonly isSum: boolean } {
  const sums = new Map<string | null, string>();
  let counted = 0;
  for (const row of rows) {
    const value = row[number];
    if (!isExact(value)) continue;
    counted += 1;
    const name = row[label] === null ? null : cellText(row[label]);
    sums.set(name, addExact(sums.get(name) ?? '0', value.value));
  }
  const ranked = [...sums].map(barOf).sort((left, right) => right.height - left.height);
  const isSum = sums.size < counted;
  const rest = ranked.slice(MOST);
  if (rest.length < 2) return { bars: ranked, isSum };
  const text = rest.reduce((sum, bar) => addExact(sum, bar.text), '0');
  const others = { label: `${rest.length} others`, text, height: Number(text), isRest: true };
  return { bars: [...ranked.slice(0, MOST), others], isSum };
}

function barOf([name, text]: readonly [string | null, string]): Bar {
  const shared = { label: labelText(name), text, height: Number(text) };
  return name === null ? shared : { ...shared, value: name };
}
