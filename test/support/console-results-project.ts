import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A ClickHouse type with values of it, as ClickHouse reads them from text; SQL where it starts with `=`. */
type TypeValues = readonly [type: string, ...values: readonly string[]];

const EMPTY = '';

const intervalOf = (unit: string): string => `Interval${unit.charAt(0).toUpperCase()}${unit.slice(1)}`;

/** The limits of integers of a width. */
function integers(bits: number): readonly TypeValues[] {
  const top = 2n ** BigInt(bits);
  return [
    [`UInt${bits}`, '0', '99', String(top - 1n)],
    [`Int${bits}`, '-1', String(-top / 2n), String(top / 2n - 1n)],
  ];
}

/** A column for each type that a result can have, and for each way to wrap types. */
export const TYPE_VALUES: readonly TypeValues[] = [
  ...[8, 16, 32, 64, 128, 256].flatMap(integers),
  ['Float32', '0.1', '16777216', '-1e-7', '3.4028235e38'],
  ['Float64', '0.00012', '1e-9', '-0.0004', '1e300', '0.30000000000000004', '123456.789', '-0'],
  ['BFloat16', '1.5', '-0.25', '1e30'],
  ['Decimal(12, 2)', '1234567.89'],
  ['Decimal32(4)', '1.2345', '-99999.9999', '12345.6'],
  ['Decimal64(4)', '1.2345', '0.0001', '12345678901234.5'],
  ['Decimal128(10)', '9007199254740993.0000000001', '-0.0000000001', '12'],
  ['Decimal256(20)', '90071992547409930000000000000000000000000000000000000001.00000000000000000001', '0'],
  ['Bool', 'true', 'false'],
  ['String', 'text', EMPTY, '007', ' two\nlines & <b>', '9007199254740993'],
  ['FixedString(3)', 'abc', 'xyz'],
  ['Date', '1970-01-01', '2026-05-17', '2149-06-06'],
  ['Date32', '1900-01-01', '2299-12-31'],
  ["DateTime('UTC')", '2026-05-17 10:00:00', '1970-01-01 00:00:00'],
  ["DateTime32('UTC')", '2026-05-17 10:00:00'],
  ["DateTime('Europe/Berlin')", '2026-05-17 00:00:00', '2026-10-25 02:30:00'],
  ["DateTime64(3, 'Asia/Tokyo')", '2026-05-17 10:00:00.001', '1969-12-31 23:59:59.999'],
  ["DateTime64(9, 'UTC')", '2026-05-17 10:00:00.123456789', '2100-01-01 00:00:00'],
  ['Time', '12:34:56', '-01:00:00'],
  ['Time64(3)', '12:34:56.789', '00:00:00'],
  ...['Nano', 'Micro', 'Milli', ''].map((unit): TypeValues => [intervalOf(`${unit}second`), '1', '12345']),
  ...['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'].map((unit): TypeValues => [
    intervalOf(unit),
    '-1',
  ]),
  ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ["Enum('only' = 1)", 'only'],
  ["Enum8('a' = 1, 'b c' = 2)", 'a', 'b c'],
  ["Enum16('x' = -1000, 'y' = 1000)", 'x', 'y'],
  ['IPv4', '127.0.0.1', '255.255.255.255'],
  ['IPv6', '::1', '2001:db8::ff00:42:8329'],
  ['Nullable(UInt64)', '9007199254740993', '=NULL'],
  ['Nullable(String)', 'NULL', '=NULL', EMPTY],
  ['LowCardinality(String)', 'GET', EMPTY],
  ['LowCardinality(Nullable(String))', 'GET', '=NULL'],
  ['SimpleAggregateFunction(sum, UInt64)', '9007199254740993', '1'],
  ['Array(UInt64)', '[9007199254740993,1]', '[]'],
  ['Array(Nullable(Decimal(18, 4)))', '[1.2345,NULL]'],
  ["Array(DateTime('UTC'))", "['2026-05-17 10:00:00']"],
  ['Tuple(UInt64, String)', "(9007199254740993,'a')"],
  ['Tuple(id UInt64, ratio Float64)', '(9007199254740993,0.00012)'],
  ['Map(String, UInt64)', "=map('a', 9007199254740993, 'b', 1)"],
  ['Nested(id UInt64, name String)', "=[(9007199254740993, 'a')]"],
  ['JSON', '{"id":9007199254740993,"ratio":0.00012,"list":[1,2]}'],
  ['Dynamic', 'text'],
  ['Variant(String, UInt64)', 'text'],
  ['Geometry', '=(1.5, -2)::Point'],
  ['QBit(Float32, 2)', '=[1.5, -2]'],
  ['Point', '=(1.5,-2)'],
  ['Ring', '=[(0,0),(1,2)]'],
  ['LineString', '=[(0,0),(1,2)]'],
  ['MultiLineString', '=[ [(0, 0), (1, 2)] ]'],
  ['Polygon', '=[ [(0, 0), (1, 2)] ]'],
  ['MultiPolygon', '=[ [ [(0, 0), (1, 2)] ] ]'],
];

const ROWS = Math.max(...TYPE_VALUES.map(([, ...values]) => values.length));

/** The values of all types: a column `c0`, `c1`, … for each, whose values are repeated. */
export const TYPES_SELECT = `SELECT * EXCEPT row FROM (
${Array.from({ length: ROWS }, (_, row) => selectOf(row)).join('\nUNION ALL\n')}
) ORDER BY row`;

function selectOf(row: number): string {
  const values = TYPE_VALUES.map(([type, ...all], index) => {
    const value = all[row % all.length] ?? '';
    return `CAST(${value.startsWith('=') ? value.slice(1) : quoted(value)}, ${quoted(type)}) AS c${index}`;
  });
  return `SELECT ${[`${row} AS row`, ...values].join(',\n  ')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

type ColumnTypes = Readonly<Record<string, string>>;

/** Endpoints by name, with their columns, queries and parameters. */
const ENDPOINTS: Readonly<
  Record<
    string,
    readonly [columns: ColumnTypes, select: string, parameters?: object | undefined, more?: string]
  >
> = {
  types: [Object.fromEntries(TYPE_VALUES.map(([type], index) => [`c${index}`, type])), TYPES_SELECT],
  numbers: [
    { year: 'UInt16', account_id: 'UInt64', visits: 'UInt64' },
    `SELECT toUInt16(2026) AS year, toUInt64(9007199254740993) - number AS account_id,
       toUInt64(1234567) AS visits FROM numbers(2) ORDER BY account_id DESC`,
  ],
  magnitudes: [
    { at: "DateTime('UTC')", requests: 'UInt64', seconds: 'Float64' },
    `SELECT toDateTime('2026-05-17 00:00:00', 'UTC') + 3600 * number AS at,
       toUInt64(20000000 + 1700000 * number) AS requests, 0.1 + 0.01 * number AS seconds
     FROM numbers(24) ORDER BY at`,
  ],
  years: [
    { day: 'Date', requests: 'UInt64' },
    `SELECT toDate('2024-07-01') + 7 * number AS day, number + 1 AS requests FROM numbers(120) ORDER BY day`,
  ],
  growing: [
    { at: "DateTime('UTC')", requests: 'UInt64' },
    `SELECT toStartOfHour(now('UTC')) - 3600 * number AS at, number AS requests FROM numbers(6) ORDER BY at`,
  ],
  hours: [
    { at: "DateTime('UTC')", requests: 'UInt64' },
    `SELECT toDateTime('2026-05-17 00:00:00', 'UTC') + 3600 * number AS at, number + 1 AS requests FROM numbers(6)
     WHERE 1 = 1 [[ AND at >= @since ]] [[ AND at < @until ]] ORDER BY at`,
    {
      since: { kind: 'timestamp', description: 'The begin.' },
      until: { kind: 'timestamp', description: 'The end.' },
    },
  ],
  visits: [
    { at: "DateTime('UTC')", requests: 'UInt64' },
    `SELECT toStartOfHour(minute) AS at, count() AS requests
     FROM (SELECT toDateTime('2026-05-17 00:00:00', 'UTC') + 60 * number AS minute FROM numbers(720))
     WHERE 1 = 1 [[ AND minute >= @since ]] [[ AND minute < @until ]] GROUP BY at ORDER BY at`,
    {
      since: { kind: 'timestamp', description: 'The begin.' },
      until: { kind: 'timestamp', description: 'The end.' },
    },
  ],
  arrivals: [
    { at: "DateTime('UTC')", guests: 'UInt64' },
    `SELECT toDateTime('2026-05-17 00:00:00', 'UTC') + 3600 * number AS at, number + 1 AS guests FROM numbers(6)
     WHERE 1 = 1 [[ AND at >= @since ]] ORDER BY at`,
    { since: { kind: 'timestamp', description: 'The begin.' } },
  ],
  exact: [
    {
      id: 'UInt64',
      price: 'Decimal(38, 10)',
      list: 'Array(UInt64)',
      tags: 'Map(String, Decimal(38, 10))',
      doc: 'JSON',
    },
    `SELECT toUInt64(9007199254740993) AS id, toDecimal128('9007199254740993.0000000001', 10) AS price,
       CAST('[9007199254740993]', 'Array(UInt64)') AS list, map('a', price) AS tags,
       CAST('{"id":9007199254740993,"deep":[{"low":-9223372036854775808}],"ratio":0.30000000000000004}', 'JSON') AS doc`,
  ],
  cohorts: [
    { week: 'UInt8', channel: 'String', users: 'UInt64' },
    `SELECT toUInt8(number % 3) AS week, if(number < 3, 'ads', 'search') AS channel, toUInt64(9007199254740993) - number AS users
     FROM numbers(5) ORDER BY channel, week`,
  ],
  levels: [
    { level: 'UInt8', players: 'UInt64' },
    'SELECT toUInt8(number) AS level, 10 * (number % 3) AS players FROM numbers(5) ORDER BY level',
  ],
  'shop.ranking': [
    { product: 'String', sold: 'UInt64' },
    `SELECT concat('product ', toString(number % 25)) AS product, toUInt64(9007199254740993) * (1 + number % 25) AS sold
     FROM numbers(50) ORDER BY product`,
  ],
  'shop.total': [
    { orders: 'UInt64', revenue: 'Float64' },
    'SELECT toUInt64(18446744073709551615) AS orders, 99.5 AS revenue',
  ],
  lines: [
    { at: "DateTime64(3, 'UTC')", level: 'String', message: 'String', host: 'String' },
    `SELECT toDateTime64('2026-05-17 10:00:00.250', 3, 'UTC') - number AS at,
       if(number % 3 = 0, 'error', 'info') AS level, concat('line ', toString(number)) AS message, 'web-1' AS host
     FROM numbers(9) WHERE 1 = 1 [[ AND level = @level ]] [[ AND at >= @since ]] ORDER BY at DESC`,
    {
      level: { kind: 'string', description: 'Only lines of this level.' },
      since: { kind: 'timestamp', description: 'Only later lines.' },
    },
  ],
  towns: [
    { town: 'String', visits: 'UInt64' },
    `SELECT concat('town ', toString(100 + number)) AS town, 500 - number AS visits FROM numbers(25) ORDER BY town`,
    undefined,
    'pages: { by: [town] }\nmaxRows: 10\nexports: { maxRows: 100, maxSeconds: 60 }',
  ],
  stays: [
    { at: "DateTime('UTC')", floor: 'String', guests: 'UInt64' },
    `SELECT toDateTime('2026-05-17 00:00:00', 'UTC') + 3600 * intDiv(number, 2) AS at, toString(number % 2) AS floor,
       number + 1 AS guests FROM numbers(12)`,
    undefined,
    'pages: { by: [at, floor] }\nmaxRows: 5',
  ],
  week: [
    { day: "DateTime('UTC')", requests: 'UInt64', seconds: 'Float64' },
    `SELECT toDateTime('2026-11-22 00:00:00', 'UTC') + 86400 * number AS day,
       toUInt64(20000000 + 1700000 * number) AS requests, 0.1 + 0.01 * number AS seconds
     FROM numbers(7) ORDER BY day`,
  ],
};

/** Writes a project whose endpoints return values of all types, and series for charts. */
export async function writeResultsProject(folder: string): Promise<void> {
  const endpoints = path.join(folder, 'endpoints');
  await mkdir(endpoints, { recursive: true });
  for (const [index, [name, [columns, select, parameters, more]]] of Object.entries(ENDPOINTS).entries()) {
    const header = [
      `name: ${name}`,
      `id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9f${String(index).padStart(2, '0')}`,
      'summary: For a test.',
      `columns: ${JSON.stringify(columns)}`,
      ...(parameters ? [`parameters: ${JSON.stringify(parameters)}`] : []),
      ...(more === undefined ? [] : [more]),
    ];
    await writeFile(path.join(endpoints, `${name}.sql`), `/*\n${header.join('\n')}\n*/\n${select}\n`);
  }
}
