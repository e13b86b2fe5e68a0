import { bareType, type Column } from './target-table.js';

export const TIMESTAMP_OUT_OF_RANGE = 'timestamp is outside the years 1900 to 2299';
export const SHIFTED_OUT_OF_RANGE = 'timestamp, once moved, is outside the years 1900 to 2299';
export const UNREADABLE = 'ClickHouse can’t read it';

/** What is quoted of a line is cut at so many characters. */
const MAX_QUOTED = 60;

/** Why a value of a line can't go into its column: `status_code "OK" does not fit UInt16`. */
export function mismatch(column: Column, value: unknown): string {
  const quoted = printable(
    typeof value === 'number' ? String(value) : JSON.stringify(value ?? null),
    MAX_QUOTED,
  );
  if (column.name === 'timestamp') return `timestamp ${quoted} is none that ClickHouse can read`;
  return `${column.name} ${quoted} does not fit ${bareType(column)}`;
}

/** A text out of a file, fit for a line on a terminal: no longer than so many characters, none of them invisible. */
export function printable(text: string, maxLength: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return visible.length > maxLength ? `${visible.slice(0, maxLength)}…` : visible;
}
