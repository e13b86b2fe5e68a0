import { parseTypeName, tupleField } from '../../endpoint/type-name.js';
import type { OutputFormat } from './format.js';

/** Returns SQL that converts a value. @param type type of the column, or of the value inside another value */
type Convert = (value: string, type: string) => string;

/** How formats write the values of a family of types, where ClickHouse's own formats do not write them correctly. */
export interface Family {
  /** Conversion for CSV and TSV. */
  readonly text?: Convert;
  /** Conversion for Parquet and Arrow, to types that every reader knows: text is UTF-8, times have microseconds. */
  readonly typed?: Convert;
  /** Conversion of a time to whole microseconds since 1970, rounded down. */
  readonly micros?: Convert;
  /** The types of the values inside. */
  readonly elements?: (args: readonly string[]) => readonly string[];
}

const inJson = (value: string): string => `toJSONString(${value})`;
const inValidUtf8 = (value: string): string => `toValidUTF8(${value})`;
const ifFinite = (value: string): string => `if(isFinite(${value}), ${value}, NULL)`;
const inMicroseconds = (value: string): string => `toDateTime64(${value}, 6, 'UTC')`;
const toMicros = (value: string): string => `toUnixTimestamp64Micro(${inMicroseconds(value)})`;
const toText: Convert = (value, type) =>
  type.includes('Nullable(') ? `CAST(${value}, 'Nullable(String)')` : `toString(${value})`;
/** Casts a Bool in a SimpleAggregateFunction, because files would have a number in its place. */
const toBool: Convert = (value, type) =>
  type.startsWith('SimpleAggregateFunction(') ? `CAST(${value}, 'Nullable(Bool)')` : value;

/** Whether a time has more digits than microseconds. Files can hold these, and a conversion would round up before 1970. */
const isFiner = (type: string): boolean => /DateTime64\([7-9]/.test(type);
const toTime: Convert = (value, type) => (isFiner(type) ? value : inMicroseconds(value));
const floorToMicros: Convert = (value, type) =>
  isFiner(type) ? `toUnixTimestamp64Micro(toStartOfMicrosecond(${value}))` : toMicros(value);

const AS_TEXT: Family = { typed: toText };
const AS_JSON: Family = { text: inJson, typed: (value) => inValidUtf8(inJson(value)) };

/** Every family of types that formats other than JSON can hold. JSON holds all types but the states of aggregate functions. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ...rows('Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Decimal', {}),
  ...rows('Bool', { typed: toBool }),
  ...rows('Int128 Int256 UInt128 UInt256 UUID IPv4 IPv6 Enum8 Enum16 Time Time64 Nothing', AS_TEXT),
  ...rows('IntervalNanosecond IntervalMicrosecond IntervalMillisecond IntervalSecond', AS_TEXT),
  ...rows('IntervalMinute IntervalHour IntervalDay IntervalWeek', AS_TEXT),
  ...rows('IntervalMonth IntervalQuarter IntervalYear', AS_TEXT),
  ...rows('Float32 Float64', { text: ifFinite, typed: ifFinite }),
  ...rows('BFloat16', { text: ifFinite, typed: (value) => ifFinite(`toFloat32(${value})`) }),
  ...rows('String', { typed: inValidUtf8 }),
  // Conversions to String lose the zero bytes at the end; `concat` keeps them.
  ...rows('FixedString', { typed: (value) => inValidUtf8(`concat(${value}, '')`) }),
  ...rows('Date', { typed: (value) => `toDate32(${value})`, micros: toMicros }),
  ...rows('Date32', { micros: toMicros }),
  ...rows('DateTime', { typed: inMicroseconds, micros: toMicros }),
  ...rows('DateTime64', { typed: toTime, micros: floorToMicros }),
  ...rows('JSON Object Dynamic Geometry QBit', AS_JSON),
  ...rows('Array Map Variant', { ...AS_JSON, elements: (args) => args }),
  ...rows('Tuple', { ...AS_JSON, elements: (args) => args.map((arg) => tupleField(arg).type) }),
  ...rows('Nullable LowCardinality', { elements: (args) => args }),
  ...rows('SimpleAggregateFunction', { elements: (args) => args.slice(1) }),
]);

function rows(names: string, family: Family): readonly (readonly [string, Family])[] {
  return names.split(' ').map((name) => [name, family]);
}

/** Whether formats of a kind (`values`) can hold a type. For a type without a row in `FAMILIES`, only JSON is known. */
export function hasForm(type: string, values: OutputFormat['values']): boolean {
  const { name, args } = parseTypeName(type);
  const family = FAMILIES.get(name);
  if (!family) return values === 'json' && name !== 'AggregateFunction';
  return (family.elements?.(args) ?? []).every((element) => hasForm(element, values));
}
