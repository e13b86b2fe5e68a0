import { cellText, labelText } from './display.js';
import type { Row } from './endpoint.js';
import { addExact, isExact } from './exact-number.js';

/** A bar: the exact sum of a number over the rows with a label. */
export interface Bar {
  readonly label: string;
  /** The value that the label names; absent for null, and for the bar of several labels. */
  readonly value?: string;
  readonly text: string;
  /** Height of the bar: the number, rounded. */
  readonly height: number;
  /** Whether it adds up what has no bar of its own. */
  readonly isRest?: boolean;
}

/** Maximum bars: more of them are less readable than the table. */
const MOST = 10;

/**
 * A bar for each of the labels with the highest sums, and one for all others.
 *
 * @param number a column without negative values.
 * @param isOrdered whether bars have the order of the rows; otherwise the highest is the first.
 */
export function topBars(
  rows: readonly Row[],
  label: string,
  number: string,
  isOrdered = false,
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
  const bars = [...sums].map(barOf);
  const ranked = bars.toSorted((left, right) => right.height - left.height);
  const isSum = sums.size < counted;
  const rest = ranked.slice(MOST);
  if (rest.length < 2) return { bars: isOrdered ? bars : ranked, isSum };
  const shown = ranked.slice(0, MOST);
  const text = rest.reduce((sum, bar) => addExact(sum, bar.text), '0');
  const others = { label: `${rest.length} others`, text, height: Number(text), isRest: true };
  return { bars: [...(isOrdered ? bars.filter((bar) => shown.includes(bar)) : shown), others], isSum };
}

function barOf([name, text]: readonly [string | null, string]): Bar {
  const shared = { label: labelText(name), text, height: Number(text) };
  return name === null ? shared : { ...shared, value: name };
}
