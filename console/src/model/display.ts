import { stringify } from 'lossless-json';

import type { Cell } from './endpoint.js';
import { isExact } from './exact-number.js';

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
];

/** Seconds in the largest unit that divides them: `900` is `15 min`. */
export function duration(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length} ${unit}`;
  }
  return `${seconds} s`;
}

const FEW_DIGITS = new Intl.NumberFormat('en', {
  useGrouping: 'min2',
  maximumFractionDigits: 3,
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

/** A number of the gateway or of the page, such as a count of rows, rounded to three digits after the decimal point. */
export const number = (value: number): string => FEW_DIGITS.format(value).replaceAll(',', '\u202F');

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });

/** A number as short as the label of an axis has to be: `20M`, `1e300`. */
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e-4 && size < 1e15) return COMPACT.format(value);
  return Number(value.toPrecision(4)).toExponential().replace('e+', 'e');
}

/** Milliseconds with the significant digits. */
export function milliseconds(ms: number): string {
  if (ms >= 10_000) return `${number(Math.round(ms / 100) / 10)} s`;
  return `${number(ms >= 100 ? Math.round(ms) : Math.round(ms * 10) / 10)} ms`;
}

/** Bytes in binary units. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  return `${number(Math.round((count / 1024 ** power) * 10) / 10)} ${units[power] ?? ''}`;
}

/** `2026-05-17T10:00:00Z` as `2026-05-17 10:00:00`; anything else unchanged. */
export function time(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T([\d:.]+)Z$/, '$1 $2');
}

/** A cell as one line of text, as ClickHouse wrote it. */
export function cellText(value: Cell | undefined): string {
  if (value === undefined || value === null) return '';
  if (isExact(value)) return value.value;
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** A value as a label: the words for null and for the empty text are those of the table. */
export const labelText = (value: string | null): string =>
  value === null ? 'null' : value === '' ? 'empty' : value;

/** An array or object as JSON. @param indent of each level, in spaces; everything is in one line without it. */
export const jsonText = (value: object, indent?: number): string => stringify(value, null, indent) ?? '';
