/** A type, and SQL of values with its edges, which are cast to it. */
export type TypeSample = readonly [type: string, values: readonly string[]];

const integers = (name: string, bits: number): readonly TypeSample[] => {
  const [signed, unsigned] = [2n ** BigInt(bits - 1), 2n ** BigInt(bits)];
  return [
    [name, name.startsWith('U') ? ['0', `'${unsigned - 1n}'`] : [`'${-signed}'`, '-1', `'${signed - 1n}'`]],
  ];
};
const floats = (name: string): readonly TypeSample[] => [
  [name, ['1.5', '-0.0', 'nan', 'inf', '-inf', '1048576']],
];
const intervals = (unit: string): readonly TypeSample[] => [[`Interval${unit}`, ['0', '-3', '7']]];
const NINES = '9'.repeat(9);
const TIMES = ["'1969-12-31 23:59:59.9999999'", "'1970-01-01 00:00:00'", "'1900-01-01 00:00:00.1234567'"];
const RING = '[(0, 0), (1.5, -2)]';

/** Samples of every family of `system.data_type_families` that is no alias, but of the states of aggregate functions. */
export const TYPE_SAMPLES: Readonly<Record<string, readonly TypeSample[]>> = {
  Array: [
    ['Array(String)', ['[]', "['a', '', '\\'\"\\n,\\\\']"]],
    ['Array(Array(Nullable(DateTime64(9))))', [`[[], [${TIMES.join(', ')}, NULL]]`]],
    ['Array(FixedString(2))', ["['a', unhex('FF41')]"]],
  ],
  BFloat16: floats('BFloat16'),
  Bool: [['Bool', ['true', 'false']]],
  Date: [['Date', ["'1970-01-01'", "'2149-06-06'"]]],
  Date32: [['Date32', ["'1900-01-01'", "'1969-12-31'", "'2299-12-31'"]]],
  DateTime: [
    ['DateTime', ["'1970-01-01 00:00:00'", "'2106-02-07 06:28:15'"]],
    ["DateTime('Asia/Kathmandu')", ["'2026-05-17 10:05:03'"]],
  ],
  DateTime32: [['DateTime32', ["'2026-05-17 10:05:03'"]]],
  DateTime64: [
    ['DateTime64(0)', [...TIMES, "'2299-12-31 23:59:59'"]],
    ["DateTime64(3, 'Asia/Kathmandu')", [...TIMES, "'2299-12-31 23:59:59.999'"]],
    ['DateTime64(6)', [...TIMES, "'1969-12-31 23:59:59.999999'", "'2299-12-31 23:59:59.999999'"]],
    ['DateTime64(7)', TIMES],
    ['DateTime64(9)', [...TIMES, "'2262-04-11 23:47:16.854775807'"]],
  ],
  Decimal: [['Decimal(18, 4)', ["'-0.0001'", "'99999999999999.9999'"]]],
  Decimal32: [['Decimal32(9)', ["'-0.000000001'", `'0.${NINES}'`]]],
  Decimal64: [['Decimal64(0)', [`'-${NINES}${NINES}'`, '0']]],
  Decimal128: [['Decimal128(30)', ["'-1.000000000000000000000000000001'", '1.5']]],
  Decimal256: [['Decimal256(70)', [`'-1.${'0'.repeat(69)}1'`, '1.5']]],
  Dynamic: [['Dynamic', ['1', "'a'", 'nan', '[1, 2]', "toDateTime64('1969-12-31 23:59:59.5', 3)", 'NULL']]],
  Enum: [["Enum('a, \\'b' = 1, '' = 2)", ["'a, \\'b'", "''"]]],
  Enum8: [["Enum8('Date' = -1, ')' = 2)", ["'Date'", "')'"]]],
  Enum16: [["Enum16('é' = 1000)", ["'é'"]]],
  FixedString: [['FixedString(3)', ["'a'", "'abc'", "'\\0b'", "unhex('FF41')"]]],
  Float32: floats('Float32'),
  Float64: floats('Float64'),
  Geometry: [['Geometry', [`${RING}::Ring`, '(1, 2)::Point']]],
  IPv4: [['IPv4', ["'0.0.0.0'", "'255.255.255.255'"]]],
  IPv6: [['IPv6', ["'::'", "'2001:db8::1'"]]],
  Int8: integers('Int8', 8),
  Int16: integers('Int16', 16),
  Int32: integers('Int32', 32),
  Int64: integers('Int64', 64),
  Int128: integers('Int128', 128),
  Int256: integers('Int256', 256),
  IntervalDay: intervals('Day'),
  IntervalHour: intervals('Hour'),
  IntervalMicrosecond: intervals('Microsecond'),
  IntervalMillisecond: intervals('Millisecond'),
  IntervalMinute: intervals('Minute'),
  IntervalMonth: intervals('Month'),
  IntervalNanosecond: intervals('Nanosecond'),
  IntervalQuarter: intervals('Quarter'),
  IntervalSecond: intervals('Second'),
  IntervalWeek: intervals('Week'),
  IntervalYear: intervals('Year'),
  JSON: [['JSON', [`'{"a": {"b": [1, null, "x"]}, "é": "y"}'`, "'{}'"]]],
  LineString: [['LineString', [RING, '[]']]],
  LowCardinality: [['LowCardinality(Nullable(String))', ["''", "'a'", 'NULL']]],
  Map: [
    ['Map(String, Float64)', ['map()', "map('a\"', nan, '', 1)"]],
    ['Map(DateTime, DateTime)', ['map(0, 0, 1, 1)']],
    ['Map(FixedString(2), Array(UInt8))', ["map('a', [1])"]],
  ],
  MultiLineString: [['MultiLineString', [`[${RING}]`]]],
  MultiPolygon: [['MultiPolygon', [`[[${RING}]]`]]],
  Nested: [['Nested(a UInt8, `b, c` Nullable(DateTime))', ['[]', '[(1, 0), (2, NULL)]']]],
  Nothing: [['Nullable(Nothing)', ['NULL']]],
  Nullable: [['Nullable(String)', ["''", "'\\\\N'", 'NULL']]],
  Point: [['Point', ['(0, -1.5)', '(nan, inf)']]],
  Polygon: [['Polygon', [`[${RING}, []]`]]],
  QBit: [
    ['QBit(Float64, 2)', ['[1, nan]', '[-inf, 0.5]']],
    ['QBit(BFloat16, 1)', ['[1.5]']],
    ['Nullable(QBit(Float32, 1))', ['[nan]', 'NULL']],
  ],
  Ring: [['Ring', [RING, '[(nan, 0)]']]],
  SimpleAggregateFunction: [
    ['SimpleAggregateFunction(max, Float64)', ['nan', '1']],
    ['SimpleAggregateFunction(anyLast, Nullable(UUID))', ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", 'NULL']],
    ['SimpleAggregateFunction(groupArrayArray, Array(Date))', ["['1970-01-01', '2026-05-17']"]],
    ['SimpleAggregateFunction(min, DateTime64(7))', TIMES],
  ],
  String: [['String', ["'a\"b,\\n\\r\\n\\tc\\\\N\\'é\\0'", "''", "'null'", "'=1'", "unhex('61FF62')"]]],
  Time: [['Time', ["'00:00:00'", "'-999:59:59'", "'999:59:59'"]]],
  Time64: [['Time64(9)', ["'12:34:56.123456789'"]]],
  Tuple: [
    ['Tuple(Float64, String)', ["(nan, 'a')"]],
    [
      'Tuple(a Nullable(DateTime64(7)), `b \\`, (c` Date)',
      [`(${TIMES[0] ?? ''}, '1970-01-02')`, "(NULL, '1970-01-01')"],
    ],
  ],
  UInt8: integers('UInt8', 8),
  UInt16: integers('UInt16', 16),
  UInt32: integers('UInt32', 32),
  UInt64: integers('UInt64', 64),
  UInt128: integers('UInt128', 128),
  UInt256: integers('UInt256', 256),
  UUID: [['UUID', ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'"]]],
  Variant: [
    ['Variant(Array(UInt8), Float64, String)', ["'a'::String", 'nan::Float64', '[1]::Array(UInt8)', 'NULL']],
  ],
};
