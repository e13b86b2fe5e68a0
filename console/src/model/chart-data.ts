import { cellText } from './display.js';
import { isNumber, isTime, type Cell, type Column, type Row } from './endpoint.js';

/** Lines over time: times in seconds since 1970, and for each line a value or null at each time. */
export interface ChartData {
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** How the rows were changed for the chart; empty where they were not. */
  readonly note: string;
}

/** The columns of a result that a chart can draw. */
export interface Chartable {
  readonly time: string;
  readonly numbers: readonly string[];
  /** Columns that can split a line into several, where rows share a time. */
  readonly splits: readonly string[];
}

/** Most values that get a line of their own; one more line sums all others. */
const MAX_LINES = 7;
const OTHERS = 'all others';
const RECORD_BUCKETS = 48;

/** Undefined where the rows have no time, or fewer than two times. */
export function chartableOf(columns: readonly Column[], rows: readonly Row[]): Chartable | undefined {
  const time = columns.find(({ type }) => isTime(type))?.name;
  if (time === undefined) return undefined;
  const times = new Set(rows.map((row) => row[time]));
  if (times.size < 2) return undefined;
  const others = columns.filter(({ name, type }) => name !== time && !isTime(type) && type !== 'UUID');
  const numbers = others.filter(({ type }) => isNumber(type)).map(({ name }) => name);
  const texts = others.filter(({ type }) => type.includes('String')).map(({ name }) => name);
  return { time, numbers, splits: numbers.length > 0 && times.size < rows.length ? texts : [] };
}

/**
 * The lines of a chart. The values of rows with the same time are added; the rows of a result without numbers are counted.
 *
 * @param chosen the columns to draw.
 * @param split if present, only the first chosen column is drawn, with a line for each value of the column `split`.
 */
export function chartData(
  rows: readonly Row[],
  { time, numbers }: Chartable,
  chosen: readonly string[],
  split?: string,
): ChartData {
  if (numbers.length === 0) return countRecords(rows, time);
  const times = [...new Set(rows.map((row) => secondsOf(row[time])))].sort((a, b) => a - b);
  const indexes = new Map(times.map((at, index) => [at, index]));
  const indexOf = (row: Row): number => indexes.get(secondsOf(row[time])) ?? 0;
  const [first = ''] = chosen;
  const lines =
    split === undefined || split === ''
      ? chosen.map((name) => ({ name, ...addUp(rows, indexOf, times.length, name) }))
      : splitLines(rows, split, (group) => addUp(group, indexOf, times.length, first));
  return { times, lines: lines.map(({ name, values }) => ({ name, values })), note: noteOf(lines) };
}

const secondsOf = (value: Cell | undefined): number => Date.parse(cellText(value)) / 1000;

interface Sums {
  readonly values: readonly (number | null)[];
  /** Whether any of the values is the sum of several rows. */
  readonly isSum: boolean;
}

interface SumLine extends Sums {
  readonly name: string;
}

function noteOf(lines: readonly SumLine[]): string {
  const sums = lines.filter(({ isSum }) => isSum);
  if (sums.length === 0) return '';
  const where = sums.every(({ name }) => name === OTHERS) ? ` in “${OTHERS}”` : '';
  return `Values of rows with the same time are added${where}.`;
}

function addUp(rows: readonly Row[], indexOf: (row: Row) => number, length: number, column: string): Sums {
  const values = new Array<number | null>(length).fill(null);
  let isSum = false;
  for (const row of rows) {
    const value = row[column];
    if (typeof value !== 'number') continue;
    const index = indexOf(row);
    const sum = values[index] ?? null;
    isSum ||= sum !== null;
    values[index] = (sum ?? 0) + value;
  }
  return { values, isSum };
}

/** A line for each of the values with the most rows, and one for all other values. */
function splitLines(
  rows: readonly Row[],
  split: string,
  sumsOf: (rows: readonly Row[]) => Sums,
): readonly SumLine[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = row[split] === null ? 'null' : cellText(row[split]) || 'empty';
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  const ranked = [...groups].sort(([, left], [, right]) => right.length - left.length);
  const rest = ranked.slice(MAX_LINES).flatMap(([, group]) => group);
  const lines = ranked.slice(0, MAX_LINES).map(([name, group]) => ({ name, ...sumsOf(group) }));
  return rest.length === 0 ? lines : [...lines, { name: OTHERS, ...sumsOf(rest) }];
}

/** Counts the rows in equal intervals of the time that they cover. */
function countRecords(rows: readonly Row[], time: string): ChartData {
  const all = rows.map((row) => secondsOf(row[time]));
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const step = Math.max(1, Math.ceil((to - from) / RECORD_BUCKETS));
  const start = Math.floor(from / step) * step;
  const counts = new Array<number>(Math.floor((to - start) / step) + 1).fill(0);
  for (const at of all) {
    const index = Math.floor((at - start) / step);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const times = counts.map((_count, index) => start + index * step);
  return { times, lines: [{ name: 'records', values: counts }], note: `Records per ${step} s.` };
}
