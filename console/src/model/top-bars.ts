import { cellText } from './display.js';
import type { Row } from './endpoint.js';
import { addExact, isExact } from './exact-number.js';

/** A bar: the exact sum of a number over the rows with a label. */
export interface Bar {
  readonly label: string;
  readonly text: string;
  readonly value: number;
  /** Whether it adds up what has no bar of its own. */
  readonly isRest?: boolean;
}

/** More bars than this say less than the table. */
const MOST = 10;

/** A bar for each of the labels with the highest sums, and one for all others. */
export function topBars(rows: readonly Row[], label: string, number: string): readonly Bar[] {
  const sums = new Map<string, string>();
  for (const row of rows) {
    const value = row[number];
    if (!isExact(value)) continue;
    const name = row[label] === null ? 'null' : cellText(row[label]) || 'empty';
    sums.set(name, addExact(sums.get(name) ?? '0', value.value));
  }
  const barOf = ([name, text]: readonly [string, string]): Bar => ({
    ...{ label: name, text, value: Number(text) },
  });
  const ranked = [...sums].map(barOf).sort((left, right) => right.value - left.value);
  const rest = ranked.slice(MOST);
  if (rest.length < 2) return ranked;
  const text = rest.reduce((sum, bar) => addExact(sum, bar.text), '0');
  return [
    ...ranked.slice(0, MOST),
    { label: `${rest.length} others`, text, value: Number(text), isRest: true },
  ];
}
