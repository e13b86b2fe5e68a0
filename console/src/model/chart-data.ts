import { MAX_LINES, secondsOf, type Chartable } from './chartable.js';
import { cellText, labelText } from './display.js';
import type { Row } from './endpoint.js';
import { addExact, isExact } from './exact-number.js';
import { bucketOf, bucketsOf, startOf, timesOf, withMissing } from './time-buckets.js';
import { UTC } from './zone.js';

/** A value at each time. Null interrupts the line; undefined does not. */
export type LineValues = readonly (number | null | undefined)[];

/** A line of a chart, before its colour. */
export interface Line {
  readonly name: string;
  readonly values: LineValues;
  /** Whether the right axis has its values, which are far smaller than those of the left one. */
  readonly isRight?: boolean;
}

/** A line with the exact text of each value. */
export interface TextLine extends Line {
  readonly texts: readonly (string | null | undefined)[];
}

/** Lines over time: times in seconds since 1970. */
export interface ChartData<L extends Line = TextLine> {
  readonly times: readonly number[];
  readonly lines: readonly L[];
  /** Seconds of a bucket; absent where the times are those of events. */
  readonly bucket?: number;
  /** The end of the last bucket. */
  readonly end?: number;
  /** The buckets that are drawn dashed: the range or a page cuts them, or the last one is not over. */
  readonly dashed?: readonly ('first' | 'last')[];
}

/** The lines for a result, and how its rows were changed for them; a note is empty where there is nothing to say. */
export interface ResultChart extends ChartData {
  readonly note: string;
  /** What is dashed, and why. */
  readonly dashedNote: string;
}

/** Name of the line that adds up all values without a line of their own. */
const OTHERS = 'all others';

/** A line whose values are smaller than those of another by this factor would look like zero. */
const MAX_RATIO = 100;

/**
 * The lines of a chart. The values of rows with the same time are added.
 *
 * @param chosen the columns to draw.
 * @param options.split if present, only the first chosen column is drawn, with a line for each value of this column.
 * @param options.hasOneAxis whether all lines have the left axis.
 * @param options.now when the result was current, in seconds since 1970.
 * @param options.from begin of the range of the request, also in seconds; options.to is its end.
 * @param options.zone of the calendar of the buckets.
 * @param options.edges the first and the last row, each where there are others beyond it.
 */
export function chartData(
  rows: readonly Row[],
  { time }: Chartable,
  chosen: readonly string[],
  { split = '', hasOneAxis = false, edges = [], ...spanned }: ChartOptions = {},
): ResultChart {
  const timed = rows.filter((row) => !Number.isNaN(secondsOf(row[time])));
  const found = timesOf(timed.map((row) => secondsOf(row[time])));
  const bucket = bucketOf(found);
  const times = bucket === undefined ? found : withMissing(found, bucket);
  const indexes = new Map(times.map((at, index) => [at, index]));
  const slots: Slots = {
    indexOf: (row) => indexes.get(secondsOf(row[time])) ?? 0,
    // A series of buckets has a gap where it has no row. Events of several series have times of their own.
    empty: new Array<null | undefined>(times.length).fill(bucket === undefined ? undefined : null),
  };
  const [first = ''] = chosen;
  const sums =
    split === ''
      ? chosen.map((name) => ({ name, ...addUp(timed, slots, name) }))
      : splitLines(timed, split, (group) => addUp(group, slots, first));
  const lines = split === '' && !hasOneAxis ? withAxes(sums) : sums;
  // A row that has its time alone is a whole bucket.
  const cutAt = found.length < timed.length ? edges.map((row) => secondsOf(row[time])) : [];
  return { times, lines, note: noteOf(lines), ...partsOf(found, { ...spanned, cutAt }) };
}

/** The buckets of distinct times, and which of them have only a part of their rows. */
function partsOf(
  times: readonly number[],
  { now = Infinity, from = -Infinity, to = Infinity, zone = UTC, cutAt }: Spanned,
): Pick<ResultChart, 'bucket' | 'end' | 'dashed' | 'dashedNote'> {
  const [bucket, buckets] = [bucketOf(times), bucketsOf(times, zone)];
  if (bucket === undefined || !buckets) return { dashedNote: '' };
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const end = startOf(buckets, last, 1);
  const isIn = (at: number): boolean => last <= at && at < end;
  const cuts = [
    ['first', first < from && from < startOf(buckets, first, 1), 'the range begins within the first bucket'],
    ['last', isIn(now), 'the last bucket is not over yet'],
    ['last', isIn(to) && !isIn(now), 'the range ends within the last bucket'],
    ['first', cutAt.includes(first), 'the first bucket has more rows than these'],
    ['last', cutAt.includes(last), 'the last bucket has more rows than these'],
  ] as const;
  const cut = cuts.filter(([, isCut]) => isCut);
  const why = cut.map(([, , reason]) => reason).join(', and ');
  return { bucket, end, dashed: cut.map(([one]) => one), dashedNote: why && `Dashed: ${why}.` };
}

interface ChartOptions {
  readonly split?: string;
  readonly hasOneAxis?: boolean;
  readonly now?: number;
  readonly from?: number;
  readonly to?: number;
  readonly zone?: string;
  readonly edges?: readonly Row[];
}

interface Spanned extends ChartOptions {
  /** The times of the edges. */
  readonly cutAt: readonly number[];
}

interface Slots {
  readonly indexOf: (row: Row) => number;
  readonly empty: readonly (null | undefined)[];
}

interface Sums extends Omit<TextLine, 'name'> {
  /** Whether any of the values is the sum of several rows. */
  readonly isSum: boolean;
}

type SumLine = Sums & TextLine;

function noteOf(lines: readonly SumLine[]): string {
  const sums = lines.filter(({ isSum }) => isSum);
  if (sums.length === 0) return '';
  const where = sums.every(({ name }) => name === OTHERS) ? ` in “${OTHERS}”` : '';
  return `Values of rows with the same time are added${where}.`;
}

function addUp(rows: readonly Row[], { indexOf, empty }: Slots, column: string): Sums {
  const texts: (string | null | undefined)[] = [...empty];
  let isSum = false;
  for (const row of rows) {
    const value = row[column];
    const index = indexOf(row);
    const before = texts[index] ?? null;
    if (!isExact(value)) {
      texts[index] = before;
      continue;
    }
    isSum ||= before !== null;
    texts[index] = before === null ? value.value : addExact(before, value.value);
  }
  return { texts, values: texts.map((text) => (typeof text === 'string' ? Number(text) : text)), isSum };
}

/** A line for each of the values with the most rows, and one for all other values. */
function splitLines(
  rows: readonly Row[],
  split: string,
  sumsOf: (rows: readonly Row[]) => Sums,
): readonly SumLine[] {
  const groups = new Map<string | null, Row[]>();
  for (const row of rows) {
    const value = row[split] === null ? null : cellText(row[split]);
    const group = groups.get(value);
    if (group) group.push(row);
    else groups.set(value, [row]);
  }
  const ranked = [...groups].sort(([, left], [, right]) => right.length - left.length);
  const rest = ranked.slice(MAX_LINES).flatMap(([, group]) => group);
  const lines = ranked
    .slice(0, MAX_LINES)
    .map(([value, group]) => ({ name: labelText(value), ...sumsOf(group) }));
  return rest.length === 0 ? lines : [...lines, { name: OTHERS, ...sumsOf(rest) }];
}

/** Moves the smaller lines to the right axis, from the widest distance between magnitudes on. */
function withAxes(lines: readonly SumLine[]): readonly SumLine[] {
  const heights = lines.map(({ values }) => heightOf(values));
  const ranked = heights.filter((height) => height > 0).sort((left, right) => right - left);
  const [highest = 0] = ranked;
  if (highest <= MAX_RATIO * (ranked.at(-1) ?? 0)) return lines;
  const ratios = ranked.slice(1).map((height, index) => (ranked[index] ?? 0) / height);
  const limit = ranked[ratios.indexOf(Math.max(...ratios)) + 1] ?? 0;
  return lines.map((line, index) => {
    const height = heights[index] ?? 0;
    return { ...line, isRight: height > 0 && height <= limit };
  });
}

const heightOf = (values: LineValues): number =>
  values.reduce<number>((highest, value) => Math.max(highest, Math.abs(value ?? 0)), 0);

/**
 * The lines upon each other: each has its own values and those of all lines before it. A line without a value counts as zero
 * where another has one.
 */
export function stacked<L extends Line>(lines: readonly L[]): readonly (L & Line)[] {
  const heights: (number | null | undefined)[] = [];
  const isEmpty = (index: number): boolean => lines.every(({ values }) => typeof values[index] !== 'number');
  return lines.map((line) => ({
    ...line,
    values: line.values.map((value, index) => {
      if (isEmpty(index)) return value;
      return (heights[index] = (heights[index] ?? 0) + (value ?? 0));
    }),
  }));
}
