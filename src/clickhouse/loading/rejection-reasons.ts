import { bareType, type Column } from './target-table.js';

export const TIMESTAMP_OUT_OF_RANGE = 'timestamp is outside the years 1900 to 2299';
export const SHIFTED_OUT_OF_RANGE = 'timestamp, after the shift, is outside the years 1900 to 2299';
export const UNREADABLE = 'ClickHouse cannot read the line';

/** Maximum number of characters quoted from a line. */
const MAX_QUOTED = 60;

/** The reason why a value does not fit its column: `status_code "OK" does not fit UInt16`. */
export function mismatch(column: Column, value: unknown): string {
  const quoted = printable(
    typeof value === 'number' ? String(value) : JSON.stringify(value ?? null),
    MAX_QUOTED,
  );
  if (column.name === 'timestamp') return `timestamp ${quoted} is not a time that ClickHouse can read`;
  return `${column.name} ${quoted} does not fit ${bareType(column)}`;
}

/** Makes a text from a file safe for a terminal: one line without invisible characters, truncated to `maxLength`. */
export function printable(text: string, maxLength: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return visible.length > maxLength ? `${visible.slice(0, maxLength)}…` : visible;
}
