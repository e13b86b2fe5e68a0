import { bareType } from '../../endpoint/type-name.js';
import { isInRange, timeOutOfRange, type Column, type RowShape, type TimeColumn } from './columns.js';
import { messageOf, shortened } from './load-error.js';
import { UnknownFields } from './unknown-fields.js';

/** A column with the least and the greatest number that it can store. */
interface NumberRange {
  readonly column: Column;
  readonly least: number;
  readonly greatest: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Why a line is rejected, if it is; calls back for each of its fields that the table does not store. */
export type InspectLine = (text: string, onUnknownField: (name: string) => void) => string | undefined;

/**
 * Rejects lines that are invalid without asking ClickHouse, or whose values ClickHouse would silently change.
 *
 * @param strict whether a line with an unknown field is rejected.
 */
export function lineInspector(shape: RowShape, strict: boolean): InspectLine {
  const ranges = shape.columns.flatMap(rangeOf);
  const fields = new UnknownFields(shape);
  return (text, onUnknownField) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // V8 quotes the line in its message.
      return `not JSON: ${shortened(messageOf(error), 120)}`;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
    const unknown = fields.namesIn(value);
    unknown.forEach(onUnknownField);
    if (!strict || unknown[0] === undefined) return misfitOf(value as JsonObject, ranges, shape.time);
    return fields.describe(unknown[0]) + (unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : '');
  };
}

function misfitOf(
  value: JsonObject,
  ranges: readonly NumberRange[],
  time: TimeColumn | undefined,
): string | undefined {
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

/** ClickHouse would store another number: 99999 in a UInt16 as 34463, 1e999 in a Float64 as infinity. */
function isOutOfRange({ least, greatest }: NumberRange, value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isNumber && (Number(value) < least || Number(value) > greatest);
}

/** The bounds of more than 32 bits are those that JavaScript's numbers can compare: rounded outwards. */
function rangeOf(column: Column): NumberRange[] {
  const [, kind, bits] = /^(U?Int|Float)(\d+)$/.exec(bareType(column.type).name) ?? [];
  if (kind === undefined) return [];
  const floats = bits === '32' ? 3.4028234663852886e38 : Number.MAX_VALUE;
  const greatest = kind === 'Float' ? floats : 2 ** (Number(bits) - (kind === 'Int' ? 1 : 0)) - 1;
  const least = kind === 'Float' ? -floats : kind === 'Int' ? -greatest - 1 : 0;
  return [{ column, least, greatest }];
}

/** The reason why a value does not fit its column: `status_code "OK" does not fit UInt16`. */
export function mismatch({ name, type }: Column, value: unknown): string {
  const shown = typeof value === 'number' ? String(value) : JSON.stringify(value ?? null);
  const bare = bareType(type).name;
  const isTime = bare.startsWith('Date');
  return `${name} ${shortened(shown, 60)} ${isTime ? 'is not a time that ClickHouse can read' : `does not fit ${bare}`}`;
}
