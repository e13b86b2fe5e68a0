import { isLosslessNumber } from 'lossless-json';

import { canonicalNumber } from '../../endpoint/exact-number.js';
import { EARLIEST, LATEST } from '../../endpoint/iso-timestamp.js';
import { unquote } from '../../endpoint/quote-sql.js';
import { bareType, parseTypeName, tupleField } from '../../endpoint/type-name.js';
import { localTime, readTime } from './written-time.js';

/** Whether a value that ClickHouse read is the one that a file has: neither clamped, cut, rounded, wrapped nor replaced. */
export type IsSame = (written: unknown, stored: unknown) => boolean;

const known = new Map<string, IsSame>();

/**
 * Returns a function that compares the value in a line, whose long numbers are LosslessNumbers, with ClickHouse's JSON for it. In that
 * JSON, times are ISO 8601, and integers of 64 bits, decimals and infinities are quoted.
 */
export function sameValue(type: string): IsSame {
  const found = known.get(type) ?? orNull(type);
  known.set(type, found);
  return found;
}

function orNull(type: string): IsSame {
  const isSame = ofType(type);
  return (written, stored) =>
    written === null || stored === null ? written === stored : isSame(written, stored);
}

/** Comparisons by the name of a type; the first match counts. */
const COMPARISONS: readonly (readonly [
  name: RegExp,
  compare: (name: string, args: readonly string[]) => IsSame,
])[] = [
  [/String$/, sameText],
  [/^(?:U?Int\d+|Interval\w+)$/, () => (written, stored) => digits(written) === String(stored)],
  [/Float\d+$/, sameFloat],
  [/^Decimal/, () => (written, stored) => canonical(written) === canonical(stored)],
  [
    /^Bool$/,
    () => (written, stored) =>
      written === stored || (isNumber(written) && Number(written) === Number(stored)),
  ],
  [/^Date(?:32)?$/, () => sameDay],
  [/^DateTime/, sameTime],
  [/^Time/, () => sameTimeOfDay],
  // The line may have the number of a name.
  [/^Enum/, () => (written, stored) => written === stored || /^-?\d+$/.test(digits(written))],
  [/^UUID$/, () => (written, stored) => plainUuid(written) === plainUuid(stored)],
  [/^Array$/, (_, [item = '']) => sameList(() => sameValue(item))],
  [/^Map$/, (_, [key = '', value = '']) => sameMap(key, value)],
  [/^Tuple$/, (_, args) => sameTuple(args)],
  [/^(?:JSON|Object|Dynamic|Variant)$/, () => sameJson],
  // What ClickHouse reads of these, it keeps: an address in any spelling, and states, which only it writes.
  [/^(?:IPv6|AggregateFunction)$/, () => () => true],
  [/^/, () => (written, stored) => written === stored],
];

function ofType(type: string): IsSame {
  const { name, args } = bareType(type);
  const [, compare] = COMPARISONS.find(([pattern]) => pattern.test(name)) ?? [];
  if (!compare) throw new Error(`no comparison of ${name}`);
  return compare(name, args);
}

export const isNumber = (value: unknown): boolean => typeof value === 'number' || isLosslessNumber(value);

/** The text of a number or of a text; empty for other values. */
const digits = (value: unknown): string =>
  typeof value === 'string' || isNumber(value) ? String(value) : '';

/** The text of a number without leading zeros and signs, which a number does not keep: `007`, `+49`. */
const numberIn = (value: unknown): string | undefined => {
  const text = digits(value);
  return /^-?(?:0|[1-9]\d*|(?=\.))(?:\.\d*)?(?:e[+-]?\d+)?$/i.test(text) ? text : undefined;
};

const canonical = (value: unknown): string | undefined => canonicalNumber(numberIn(value) ?? '');

function sameText(name: string): IsSame {
  const plain = (text: unknown): unknown =>
    name === 'FixedString' && typeof text === 'string' ? text.replace(/\0+$/, '') : text;
  return (written, stored) =>
    typeof written === 'string' ? plain(written) === plain(stored) : sameJson(written, parsedOr(stored));
}

/** The parsed JSON of a text, or the text itself where it is invalid, because ClickHouse stores that text. */
function parsedOr(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

/** The nearest number that the type has; an infinity only where it is written. */
function sameFloat(name: string): IsSame {
  const round = name === 'Float32' ? Math.fround : Number;
  return (written, stored) => {
    const value = Number(stored);
    if (!Number.isFinite(Number(String(stored).replace(/^(-?)inf$/, '$1Infinity')))) {
      return typeof written === 'string' && /^[+-]?(?:inf|infinity|nan)$/i.test(written);
    }
    const text = numberIn(written);
    if (text === undefined) return false;
    if (name === 'BFloat16') return Math.abs(Number(text) - value) <= Math.abs(value) / 256;
    return round(Number(text)) === round(value);
  };
}

const NANOSECONDS = 1_000_000_000n;

/** Other times ClickHouse prints and compares incorrectly. */
const EARLIEST_NANOSECONDS = EARLIEST * 1000n;
const END_NANOSECONDS = (LATEST + 1n) * 1000n;

function sameDay(written: unknown, stored: unknown): boolean {
  const day = Date.parse(`${String(stored)}T00:00:00Z`) / 1000;
  // Days since 1970, or seconds.
  if (isNumber(written))
    return Number(written) * 86_400 === day || Math.floor(Number(written) / 86_400) * 86_400 === day;
  return readTime(digits(written))?.nanoseconds === BigInt(day) * NANOSECONDS;
}

function sameTime(name: string, args: readonly string[]): IsSame {
  const scale = name === 'DateTime64' ? Number(args[0]) : 0;
  const zone = unquote((name === 'DateTime64' ? args[1] : args[0]) ?? "'UTC'");
  return (written, stored) => {
    // The form of toISOString, which most logs have.
    if (written === stored && /^(?:19|2[0-2])/.test(written as string)) return true;
    const { nanoseconds = 0n } = readTime(String(stored)) ?? {};
    if (nanoseconds < EARLIEST_NANOSECONDS || nanoseconds >= END_NANOSECONDS) return false;
    // A number counts the least units of the column.
    if (isNumber(written))
      return (
        /^-?\d+$/.test(digits(written)) && BigInt(digits(written)) * 10n ** BigInt(9 - scale) === nanoseconds
      );
    const time = readTime(digits(written));
    return time?.nanoseconds === (time?.hasZone === true ? nanoseconds : localTime(nanoseconds, zone));
  };
}

function sameTimeOfDay(written: unknown, stored: unknown): boolean {
  const [, sign = '', hours, minutes, seconds] =
    /^(-?)(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(String(stored)) ?? [];
  if (isNumber(written))
    return (
      Number(`${sign}${Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)}`) === Number(written)
    );
  const plain = (text: unknown): string =>
    String(text)
      .replace(/^(\d):/, '0$1:')
      .replace(/\.?0+$/, '');
  return plain(written) === plain(stored);
}

const plainUuid = (value: unknown): string => String(value).replaceAll('-', '').toLowerCase();

const sameList =
  (isSame: (index: number) => IsSame): IsSame =>
  (written, stored) =>
    Array.isArray(written) &&
    Array.isArray(stored) &&
    written.length === stored.length &&
    written.every((item, index) => isSame(index)(item, stored[index]));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

function sameMap(key: string, value: string): IsSame {
  const isText = bareType(key).name.endsWith('String');
  return (written, stored) => {
    if (!isObject(written) || !isObject(stored)) return false;
    const names = Object.keys(written);
    const read = Object.entries(stored);
    return (
      names.length === read.length &&
      names.every((name, index) => {
        const at = isText ? [name, stored[name]] : read[index];
        return sameValue(key)(name, at?.[0]) && sameValue(value)(written[name], at?.[1]);
      })
    );
  };
}

/** A field that a tuple lacks is an omitted one, as in a line. */
function sameTuple(args: readonly string[]): IsSame {
  const fields = args.map(tupleField);
  const types = new Map(
    fields.map(({ name = '', type }) => [name.startsWith('`') ? unquote(name) : name, type]),
  );
  const ofList = sameList((index) => sameValue(fields[index]?.type ?? ''));
  return (written, stored) => {
    if (!isObject(stored)) return ofList(written, stored);
    if (Array.isArray(written)) return ofList(written, Object.values(stored));
    return (
      isObject(written) &&
      Object.entries(written).every(
        ([name, value]) => types.has(name) && sameValue(types.get(name) ?? '')(value, stored[name]),
      )
    );
  };
}

/** Compares values whose type depends on the value. */
function sameJson(written: unknown, stored: unknown): boolean {
  if (Array.isArray(written)) return sameList(() => sameJson)(written, stored);
  if (isObject(written)) return sameObject(written, stored);
  return isNumber(written) ? sameNumber(digits(written), stored) : written === stored;
}

/** An object of ClickHouse's has neither nulls nor empty objects, and a dot in a name makes two names. */
function sameObject(written: Readonly<Record<string, unknown>>, stored: unknown): boolean {
  if (!isObject(stored)) return false;
  const before = leavesOf(written, '');
  const after = new Map(leavesOf(stored, ''));
  return before.length === after.size && before.every(([path, value]) => sameJson(value, after.get(path)));
}

/** A number of unknown type: an integer by its digits, another by the nearest Float64. */
function sameNumber(text: string, stored: unknown): boolean {
  const read = numberIn(stored);
  if (read === undefined) return false;
  return text === read || (!(/^-?\d+$/.test(text) && /^-?\d+$/.test(read)) && Number(text) === Number(read));
}

function leavesOf(object: Readonly<Record<string, unknown>>, before: string): [string, unknown][] {
  return Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    const path = before + name;
    if (value === null) return [];
    return isObject(value) ? leavesOf(value, `${path}.`) : [[path, value]];
  });
}

/** Whether a column can hold null. */
export function canBeNull(type: string): boolean {
  const { name, args } = parseTypeName(type);
  if (name === 'LowCardinality') return canBeNull(args[0] ?? '');
  return /^(?:Nullable|JSON|Object|Dynamic|Variant)$/.test(name);
}
