import { chartableOf, type Chartable } from './chartable.js';
import {
  isLabel,
  isMeasure,
  isTime,
  type Cell,
  type Column,
  type Endpoint,
  type Row,
  type Values,
} from './endpoint.js';
import { cellText } from './display.js';
import { isExact } from './exact-number.js';
import { countOf, isLevel, pivotOf, type Pivot } from './pivot.js';

/** A way to show a result. */
export type Kind = 'line' | 'bars' | 'stacked' | 'number' | 'pivot' | 'log' | 'table';

/** The columns of rows that are lines of a log. */
export interface LogColumns {
  readonly time: string;
  readonly level?: string;
  readonly message: string;
}

/** The columns of rows that have a bar each. */
export interface Rankable {
  readonly labels: readonly string[];
  readonly numbers: readonly string[];
}

/** What the columns and rows of a result are good for. */
export interface Shape {
  /** The ways to show it; the first is the one to begin with. */
  readonly kinds: readonly Kind[];
  readonly chartable?: Chartable | undefined;
  readonly log?: LogColumns | undefined;
  readonly rankable?: Rankable | undefined;
  readonly pivot?: Pivot | undefined;
  readonly numbers: readonly string[];
}

const MESSAGE = /(?:^|_)(?:message|msg|log|text|body|line)$/;
const LEVEL = /(?:^|_)(?:level|severity|priority|lvl)(?:_text|_name)?$/;

/** More numbers are a row of a table. */
const MOST_NUMBERS = 12;

/** @param isCut whether there are more rows: what sums them up is then not what opens */
export function shapeOf(columns: readonly Column[], rows: readonly Row[], isCut = false): Shape {
  const numbers = columns.filter(isMeasure).map(nameOf);
  const chartable = chartableOf(columns, rows);
  const log = chartable ? undefined : logColumns(columns);
  const pivot = pivotOf(columns, rows);
  const rankable = (chartable ?? log) ? undefined : rankableOf(columns, rows, pivot);
  const drawn: readonly Kind[] = [
    ...(rows.length === 1 && isFew(numbers) ? (['number'] as const) : []),
    ...(chartable ? kindsOverTime(rows, chartable) : []),
    ...(rankable ? (['bars'] as const) : []),
    ...(pivot ? (['pivot'] as const) : []),
  ];
  const whole: readonly Kind[] = [...(log ? (['log'] as const) : []), 'table'];
  const kinds = isCut ? [...whole, ...drawn] : [...drawn, ...whole];
  return { kinds, chartable, log, rankable, pivot, numbers };
}

const isFew = ({ length }: readonly string[]): boolean => length > 0 && length <= MOST_NUMBERS;

function rankableOf(
  columns: readonly Column[],
  rows: readonly Row[],
  pivot: Pivot | undefined,
): Rankable | undefined {
  const texts = columns.filter(({ type }) => isLabel(type)).map(nameOf);
  const levels = levelsOf(columns, rows, { isPivot: pivot !== undefined, isAlone: texts.length === 0 });
  const labels = pivot ? [...levels, ...texts] : [...texts, ...levels];
  const numbers = columns.filter(isMeasure).map(nameOf);
  const heights = numbers.filter((name) => !levels.includes(name) && !hasNegative(rows, [name]));
  return rows.length > 1 && heights.length > 0 && labels.length > 0
    ? { labels, numbers: heights }
    : undefined;
}

/** The first column where it is a level that names what a row is about: with the second column, alone, or as the number of a step. */
function levelsOf(
  [first, ...others]: readonly Column[],
  rows: readonly Row[],
  { isPivot, isAlone }: { readonly isPivot: boolean; readonly isAlone: boolean },
): readonly string[] {
  if (!first || !isLevel(first, rows) || !others.some(isMeasure)) return [];
  const isDistinct = isAlone && countOf(rows, first) === rows.length;
  return isPivot || isDistinct || areCounted(rows, first.name) ? [first.name] : [];
}

/** Whether each row has the number after that of the row before. */
function areCounted(rows: readonly Row[], name: string): boolean {
  const [first = 0, ...others] = rows.map((row) => Number(cellText(row[name])));
  return others.every((number, index) => number === first + index + 1);
}

const nameOf = ({ name }: Column): string => name;

/** Heights that are upon each other cannot be below zero. */
function kindsOverTime(rows: readonly Row[], { numbers }: Chartable): readonly Kind[] {
  return hasNegative(rows, numbers) ? ['line'] : ['line', 'bars', 'stacked'];
}

function hasNegative(rows: readonly Row[], names: readonly string[]): boolean {
  const isNegative = (value: Cell | undefined): boolean => isExact(value) && value.value.startsWith('-');
  return rows.some((row) => names.some((name) => isNegative(row[name])));
}

function logColumns(columns: readonly Column[]): LogColumns | undefined {
  const find = (isSought: (column: Column) => boolean): string | undefined => columns.find(isSought)?.name;
  const time = find(({ type }) => isTime(type));
  const message = find(({ name, type }) => isLabel(type) && MESSAGE.test(name));
  const level = find(({ name }) => LEVEL.test(name));
  if (time === undefined || message === undefined) return undefined;
  return { time, message, ...(level !== undefined && { level }) };
}

const NOT_CODE = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\]|\\[^]|'')*'/g;

/** Whether the rows of a query have an order: an ORDER BY outside of all parentheses. */
function hasOrder(sql: string): boolean {
  const inner = sql.replaceAll(NOT_CODE, '');
  const outer = inner.replaceAll(/\([^()]*\)/g, '');
  return outer === inner ? /\border\s+by\b/i.test(outer) : hasOrder(outer);
}

/** Whether rows have an order of the query, or one of pages that begins with the label. @param sql of the caller, which has no pages */
export function isOrdered(
  { query, pages }: Pick<Endpoint, 'query' | 'pages'>,
  sql: string | undefined,
  { labels: [label] }: Rankable,
): boolean {
  const [first] = pages?.by[0]?.split(' ') ?? [];
  return hasOrder(sql ?? query) || (sql === undefined && first !== undefined && first === label);
}

/** The way to show a result that a view names, or the first one. */
export function kindIn(view: Values, { kinds }: Shape): Kind {
  return kinds.find((kind) => kind === view['as']) ?? kinds[0] ?? 'table';
}
