import { stringify } from 'lossless-json';

import { bareType } from '../../endpoint/type-name.js';
import type { Column, TimeColumn } from './columns.js';
import { messageOf, shortened } from './load-error.js';
import type { UnknownFields } from './unknown-fields.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Why a line is rejected, if it is. */
export type InspectLine = (text: string) => string | undefined;

/**
 * Rejects lines that are invalid without asking ClickHouse, and counts their unknown fields.
 *
 * @param strict whether a line with an unknown field is rejected.
 */
export function lineInspector(
  time: TimeColumn | undefined,
  fields: UnknownFields,
  strict: boolean,
): InspectLine {
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // V8 quotes the line in its message.
      return `not JSON: ${shortened(messageOf(error), 120)}`;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
    if (text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH))
      return `nested in more than ${MAX_DEPTH} levels`;
    const unknown = fields.countIn(value);
    if (strict && unknown[0] !== undefined)
      return fields.describe(unknown[0]) + (unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : '');
    return lacksTime(value as JsonObject, time) ? 'no timestamp' : undefined;
  };
}

/** Whether ClickHouse would use the time of the INSERT, or 1970. */
const lacksTime = (value: JsonObject, time: TimeColumn | undefined): boolean =>
  time?.isRequired === true && (value[time.name] ?? null) === null;

/** ClickHouse reads no deeper objects and lists, and the stack of others has a limit too. */
const MAX_DEPTH = 1000;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1)));

/**
 * The reason why a value does not fit its column: `status_code "OK" does not fit UInt16`.
 *
 * @param stored what ClickHouse would store; absent where it cannot read the value.
 */
export function mismatch({ name, type }: Column, value: unknown, stored?: unknown): string {
  const shown = shortened(typeof value === 'number' ? String(value) : (stringify(value ?? null) ?? ''), 60);
  const { name: bare, args } = bareType(type);
  if (stored === undefined)
    return `${name} ${shown} ${bare.startsWith('Date') ? 'is not a time that ClickHouse can read' : `does not fit ${bare}`}`;
  if (/Int\d+$/.test(bare)) return `${name} ${shown} does not fit ${bare}`;
  const other = typeof stored === 'string' ? stored : JSON.stringify(stored);
  const full = args.length > 0 ? `${bare}(${args.join(', ')})` : bare;
  return `${name} ${shown} does not fit ${shortened(full, 60)}, which would store ${shortened(other, 60)}`;
}
