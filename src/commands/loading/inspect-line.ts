import type { Line } from './line-splitter.js';
import { messageOf } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { isOutOfRange, numberRanges, type NumberRange } from './number-range.js';
import { mismatch, printable, timeOutOfRange } from './rejection-reasons.js';
import type { RowShape } from './row-shape.js';
import type { Row } from './row.js';
import { isInRange, type TimeColumn } from './time-column.js';
import { FieldNames } from './unknown-fields.js';

/** A line that may be loaded or is rejected, with its fields that the table does not store. */
export interface InspectedLine {
  readonly result: Row | RejectedLine;
  readonly unknownFields: readonly string[];
}

/** What the lines for a table must satisfy. */
export interface LineRules {
  readonly ranges: readonly NumberRange[];
  readonly time: TimeColumn | undefined;
  readonly fields: FieldNames;
  /** Whether a line with an unknown field is rejected. */
  readonly strict: boolean;
}

/** The rules for the lines of a table. */
export function lineRules(
  shape: Pick<RowShape, 'columns' | 'computed' | 'time'>,
  strict: boolean,
): LineRules {
  return { ranges: numberRanges(shape.columns), time: shape.time, fields: new FieldNames(shape), strict };
}

/** Rejects lines that are invalid without asking ClickHouse, or whose values ClickHouse would silently change. */
export function inspectLine({ line, text }: Line, rules: LineRules): InspectedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8 quotes the line in its message.
    const reason = `not JSON: ${printable(messageOf(error), 120)}`;
    return { result: { line, reason }, unknownFields: [] };
  }
  if (!isObject(value)) return { result: { line, reason: 'not a JSON object' }, unknownFields: [] };
  const unknownFields = rules.fields.unknownOf(value);
  const reason = reasonToReject(value, unknownFields, rules);
  return {
    result: reason === undefined ? { line, text: text.trimStart() } : { line, reason },
    unknownFields,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reasonToReject(
  value: JsonObject,
  [unknown, ...others]: readonly string[],
  { ranges, time, fields, strict }: LineRules,
): string | undefined {
  if (strict && unknown !== undefined)
    return `${fields.describe(unknown)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
  if (time) {
    const timestamp = value[time.name] ?? undefined;
    // ClickHouse would use the time of the INSERT, or 1970.
    if (timestamp === undefined && time.isRequired) return 'no timestamp';
    // ClickHouse would read an integer beyond its own range as another number.
    if (typeof timestamp === 'number' && !isInRange(time, timestamp * time.microsecondsPerUnit))
      return timeOutOfRange(time);
  }
  const exceeded = ranges.find((range) => isOutOfRange(range, value[range.column.name]));
  return exceeded && mismatch(exceeded.column, value[exceeded.column.name]);
}
