import type { Cell } from './endpoint.js';

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

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** A rounded number; the title of its cell has all digits. */
export const number = (value: number): string => GROUPED.format(value);

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

/** A cell as one line of text. */
export function cellText(value: Cell | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
