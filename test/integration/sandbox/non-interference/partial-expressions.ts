/** Values of a record: one that suits every expression below, by the number of the record, and one that suits none. */
type Field = readonly [harmless: (n: number) => unknown, poisonous: unknown];

const FIELDS = {
  divisor: [(n) => 1 + (n % 3), 0],
  number: [(n) => String(n), '1x'],
  small: [(n) => n % 7, 70_000],
  big: [(n) => 1000 + n, 4e18],
  decimal: [(n) => `${n}.25`, '1e80'],
  date: [(n) => `2096-02-${10 + (n % 10)}`, 'soon'],
  time: [(n) => `2096-02-10 10:00:${10 + n}`, 'later'],
  uuid: [(n) => `6f1d3c6e-1c1b-4a57-8d94-2b7f8f0e3c${10 + n}`, 'not-a-uuid'],
  ipv4: [(n) => `192.0.2.${n}`, '999.1'],
  ipv6: [(n) => `2001:db8::${n}`, 'not-an-address'],
  flag: [(n) => String(n % 2 === 0), 'perhaps'],
  letter: [(n) => 'ab'.charAt(n % 2), 'zzz'],
  short: [(n) => `abc${n}`, 'longer than any'],
  list: [(n) => `[1,${n}]`, '[1,'],
  pair: [(n) => `(1,${n})`, '(1'],
  three: [(n) => [1, 2, n], [1]],
  json: [(n) => `{"a":${n}}`, '{'],
  regex: [(n) => `a{1,${1 + n}}`, '('],
  base64: [(n) => Buffer.from(`text ${n}`).toString('base64'), '!!!!'],
  base32: [() => 'NBUQ====', '1!'],
  size: [(n) => `${n} KiB`, '1 parsec'],
  duration: [(n) => `${n}h`, '1 fortnight'],
} satisfies Readonly<Record<string, Field>>;

type FieldName = keyof typeof FIELDS;

/** Contents of the columns of a record that callers can read. */
export interface Content {
  readonly event_message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Content on which no partial expression throws. */
export function harmless(n: number): Content {
  const metadata = Object.fromEntries(Object.entries(FIELDS).map(([name, [value]]) => [name, value(n)]));
  return { event_message: String(n), metadata };
}

/** Content on which each partial expression throws. */
export function poisonous(n: number): Content {
  const metadata = Object.fromEntries(Object.entries(FIELDS).map(([name, [, value]]) => [name, value]));
  return { event_message: `SECRET ${n}`, metadata };
}

const text = (name: FieldName): string => `JSONExtractString(metadata, '${name}')`;
const int = (name: FieldName): string => `JSONExtractInt(metadata, '${name}')`;
const THREE = "JSONExtract(metadata, 'three', 'Array(Int64)')";

/** Expressions that throw on some values; at least one for each way in which an allowed function can throw. */
export const PARTIAL: readonly string[] = [
  'intDiv(10, toUnixTimestamp64Milli(timestamp) % 1000)',
  'toUInt64(substring(toString(id), 25))',
  'toUInt32(event_message)',
  'toInt256(event_message)',
  'toFloat64(event_message)',
  `intDiv(10, ${int('divisor')})`,
  `10 % ${int('divisor')}`,
  `positiveModulo(10, ${int('divisor')})`,
  `gcd(10, ${int('divisor')})`,
  `lcm(10, ${int('divisor')})`,
  `toDecimal64(10, 2) / toDecimal64(${int('divisor')}, 2)`,
  `divideDecimal(toDecimal64(10, 2), toDecimal64(${int('divisor')}, 2))`,
  `toInt64(${text('number')})`,
  `toUInt8(${text('number')})`,
  `CAST(${text('number')}, 'Int128')`,
  `accurateCast(${int('small')}, 'UInt8')`,
  `factorial(${int('small')})`,
  `bitTest(1, ${int('small')})`,
  `round(1.5, ${int('small')})`,
  `conv('1', ${int('small')} + 2, 10)`,
  `toDecimal64(${text('decimal')}, 2)`,
  `toDecimal32(${int('big')}, 2)`,
  `toDecimal64(${int('big')}, 0) * toDecimal64(${int('big')}, 0)`,
  `leftPad('a', ${int('big')})`,
  `toDate(${text('date')})`,
  `toDate32(${text('date')})`,
  `toMonday(toDate(${text('date')}))`,
  `toDateTime(${text('time')})`,
  `toDateTime64(${text('time')}, 3)`,
  `parseDateTime(${text('time')}, '%Y-%m-%d %H:%i:%s')`,
  `parseDateTimeInJodaSyntax(${text('time')}, 'yyyy-MM-dd HH:mm:ss')`,
  `parseDateTimeBestEffort(${text('time')})`,
  `parseDateTime64BestEffort(${text('time')})`,
  `dateDiff('day', toDateTime('2096-01-01 00:00:00'), toDateTime(${text('time')}))`,
  `toUUID(${text('uuid')})`,
  `toIPv4(${text('ipv4')})`,
  `IPv4StringToNum(${text('ipv4')})`,
  `isIPAddressInRange(${text('ipv4')}, '192.0.2.0/24')`,
  `toIPv6(${text('ipv6')})`,
  `IPv6StringToNum(${text('ipv6')})`,
  `toBool(${text('flag')})`,
  `CAST(${text('flag')}, 'Bool')`,
  `CAST(${text('letter')}, 'Enum8(\\'a\\' = 1, \\'b\\' = 2)')`,
  `toFixedString(${text('short')}, 8)`,
  `CAST(${text('list')}, 'Array(UInt8)')`,
  `CAST(${text('pair')}, 'Tuple(UInt8, UInt8)')`,
  `arrayMap((x, y) -> x + y, ${THREE}, [1, 2, 3])`,
  `arraySum((x, y) -> x * y, ${THREE}, [1, 2, 3])`,
  `arrayZip(${THREE}, [1, 2, 3])`,
  `mapFromArrays(${THREE}, [1, 2, 3])`,
  `CAST((${THREE}, ['a', 'b', 'c']), 'Map(Int64, String)')`,
  `arrayDotProduct(${THREE}, [1, 2, 3])`,
  `L2Distance(${THREE}, [1, 2, 3])`,
  `arrayEnumerateUniq(${THREE}, [1, 2, 3])`,
  `JSONMergePatch('{}', ${text('json')})`,
  `prettyPrintJSON(${text('json')})`,
  `match('aaa', ${text('regex')})`,
  `replaceRegexpAll('aaa', ${text('regex')}, 'b')`,
  `base64Decode(${text('base64')})`,
  `base64URLDecode(${text('base64')})`,
  `base32Decode(${text('base32')})`,
  `parseReadableSize(${text('size')})`,
  `parseTimeDelta(${text('duration')})`,
];
