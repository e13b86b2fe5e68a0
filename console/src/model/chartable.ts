import { cellText } from './display.js';
import {
  isDate,
  isIdentifier,
  isLabel,
  isMeasure,
  isNumber,
  isTime,
  type Cell,
  type Column,
  type Row,
} from './endpoint.js';
import { isExact } from './exact-number.js';
import { bucketOf, bucketsOf, MINUTE, timesOf, type Buckets } from './time-buckets.js';

/** Most values that get a line of their own. */
export const MAX_LINES = 7;

/** The columns of a result that a chart can draw. */
export interface Chartable {
  readonly time: string;
  /** Present where the times are dates, which are the same in every zone. */
  readonly isDate?: true;
  readonly numbers: readonly string[];
  /** Columns that can split a line into several, where rows share a time. */
  readonly splits: readonly string[];
}

/**
 * Undefined where a chart would say nothing: the rows have no time, fewer than two times, or no number that measures something,
 * or each of them is a record of its own, such as a line of a log.
 */
export function chartableOf(columns: readonly Column[], rows: readonly Row[]): Chartable | undefined {
  const { name: time, type } = columns.find((column) => isTime(column.type)) ?? {};
  if (time === undefined || type === undefined) return undefined;
  const numbers = columns.filter(isMeasure).map(({ name }) => name);
  const labels = columns.filter((column) => isLabel(column.type) || isIdentifierNumber(column));
  const timed = rows.filter((row) => !Number.isNaN(secondsOf(row[time])));
  const times = timesOf(timed.map((row) => secondsOf(row[time])));
  if (numbers.length === 0 || times.length < 2) return undefined;
  const names = labels.map(({ name }) => name);
  if (areRecords(timed, time, names, bucketOf(times))) return undefined;
  return {
    time,
    ...(isDate(type) && { isDate: true }),
    numbers,
    splits: times.length < timed.length ? names : [],
  };
}

/** The buckets that rows have a chart of. @param zone of their calendar */
export function bucketsOfRows(
  columns: readonly Column[],
  rows: readonly Row[],
  zone: string,
): Buckets | undefined {
  const chartable = chartableOf(columns, rows);
  if (!chartable) return undefined;
  const times = rows.map((row) => secondsOf(row[chartable.time])).filter((at) => !Number.isNaN(at));
  return bucketsOf(timesOf(times), zone, chartable.isDate);
}

/** Seconds since 1970 of a time as the gateway writes it, in ISO 8601 or in microseconds; NaN of null. */
export const secondsOf = (value: Cell | undefined): number =>
  isExact(value) ? Number(value.value) / 1e6 : Date.parse(cellText(value)) / 1000;

const isIdentifierNumber = ({ name, type }: Column): boolean => isNumber(type) && isIdentifier(name);

/** Whether rows are events, not values of series: no label tells those of one time apart, or too many labels tell all apart. */
function areRecords(
  rows: readonly Row[],
  time: string,
  labels: readonly string[],
  bucket: number | undefined,
): boolean {
  const distinct = (columns: readonly string[]): number =>
    new Set(rows.map((row) => columns.map((name) => cellText(row[name])).join('\0'))).size;
  if (distinct([time, ...labels]) < rows.length) return true;
  if (bucket !== undefined && bucket >= MINUTE) return false;
  return labels.some((name) => {
    const values = distinct([name]);
    return (isIdentifier(name) && values === rows.length) || (bucket === undefined && values > MAX_LINES);
  });
}
