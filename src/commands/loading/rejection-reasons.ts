import { bareType } from '../../endpoint/type-name.js';
import type { Column } from './column.js';
import type { TimeColumn } from './time-column.js';

export const UNREADABLE = 'ClickHouse cannot read the line';

/** Maximum number of characters quoted from a line. */
const MAX_QUOTED = 60;

/** The reason why a time is rejected, as it stands in the line or after the shift. */
export function timeOutOfRange({ name, years: [first, last] }: TimeColumn, isShifted = false): string {
  return `${name}${isShifted ? ', after the shift,' : ''} is outside the years ${first} to ${last}`;
}

/** The reason why a value does not fit its column: `status_code "OK" does not fit UInt16`. */
export function mismatch(column: Column, value: unknown): string {
  const quoted = printable(
    typeof value === 'number' ? String(value) : JSON.stringify(value ?? null),
    MAX_QUOTED,
  );
  const type = bareType(column.type).name;
  if (type.startsWith('Date')) return `${column.name} ${quoted} is not a time that ClickHouse can read`;
  return `${column.name} ${quoted} does not fit ${type}`;
}

/** Makes a text from a file safe for a terminal: one line without invisible characters, truncated to `maxLength`. */
export function printable(text: string, maxLength: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return visible.length > maxLength ? `${visible.slice(0, maxLength)}…` : visible;
}
