import { column } from '../../../src/endpoint/definition.js';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../../src/gateway/formats/formats.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { queryRequest } from '../../support/query-requests.js';
import { isUntyped, readRows, type Row } from '../../support/read-formats.js';

const { fetchFormat, runQuery } = useFormatQueries();

const WITH_TYPED_TIMES = FORMAT_NAMES.filter((format) => FORMATS[format].values === 'typed');
const WITHOUT_TYPED_TIMES = FORMAT_NAMES.filter((format) => FORMATS[format].values !== 'typed');

const VALUES = `
  SELECT * FROM (
    SELECT 1 AS at, 'a"b,\\n\\r\\n\\tc\\\\N' AS text, '' AS empty, nan AS ratio, 18446744073709551615 AS big,
      toDateTime64('2026-05-17 10:05:03.123456', 6, 'UTC') AS time, toDate('2026-05-17') AS day, true AS flag,
      toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS id, toLowCardinality('é😀') AS kind
    UNION ALL
    SELECT 2, NULL, NULL, inf, 0, NULL, NULL, NULL, NULL, NULL
    UNION ALL
    SELECT 3, 'x', '\\\\', 1.5, 7, toDateTime64('1969-12-31 23:59:59.999999', 6, 'UTC'), toDate('1970-01-02'), false,
      toUUID('00000000-0000-0000-0000-000000000001'), toLowCardinality('')
  ) ORDER BY at`;
const ROWS: readonly Row[] = [
  {
    at: 1,
    text: 'a"b,\n\r\n\tc\\N',
    empty: '',
    ratio: null,
    big: 18446744073709551615n,
    time: '2026-05-17T10:05:03.123456Z',
    day: '2026-05-17',
    flag: true,
    id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    kind: 'é😀',
  },
  {
    at: 2,
    text: null,
    empty: null,
    ratio: null,
    big: 0,
    time: null,
    day: null,
    flag: null,
    id: null,
    kind: null,
  },
  {
    at: 3,
    text: 'x',
    empty: '\\',
    ratio: 1.5,
    big: 7,
    time: '1969-12-31T23:59:59.999999Z',
    day: '1970-01-02',
    flag: false,
    id: '00000000-0000-0000-0000-000000000001',
    kind: '',
  },
].map((row) => ({ ...row, big: Number(row.big) }));

const micros = (iso: unknown): unknown =>
  typeof iso === 'string'
    ? Date.parse(`${iso.slice(0, 10)}T${iso.slice(11, 19) || '00:00:00'}Z`) * 1000 + Number(iso.slice(20, 26))
    : iso;
const ROWS_IN_MICROS = ROWS.map((row) => ({ ...row, time: micros(row['time']), day: micros(row['day']) }));
const asText = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null
        ? null
        : name === 'big' && Number(value) > 7
          ? '18446744073709551615'
          : String(value as string | number | boolean),
    ]),
  );

describe('values of a caller’s own SQL', () => {
  it.each(WITHOUT_TYPED_TIMES)(
    'are the same in %s, with null and the empty text distinct',
    async (format) => {
      const result = await fetchFormat(format, VALUES, { columns: 'unknown' });
      expect(await readRows(format, result.body)).toEqual(isUntyped(format) ? ROWS.map(asText) : ROWS);
    },
  );

  it.each(WITH_TYPED_TIMES)('are typed in %s', async (format) => {
    const result = await fetchFormat(format, VALUES, { columns: 'unknown' });
    expect(await readRows(format, result.body)).toEqual(ROWS_IN_MICROS);
  });

  it.each(WITHOUT_TYPED_TIMES)('have microseconds in %s on request', async (format) => {
    const representation = representationOf(format, { times: 'unix-micros' });
    const result = await fetchFormat(format, VALUES, { columns: 'unknown', representation });
    const expected = isUntyped(format) ? ROWS_IN_MICROS.map(asText) : ROWS_IN_MICROS;
    expect(await readRows(format, result.body)).toEqual(expected);
    if (format === 'json-table') {
      const { meta } = JSON.parse(result.body.toString()) as { meta: { name: string; type: string }[] };
      expect(meta.filter(({ name }) => ['time', 'day'].includes(name)).map(({ type }) => type)).toEqual([
        'Nullable(Int64)',
        'Nullable(Int64)',
      ]);
    }
  });

  it.each(FORMAT_NAMES.filter((format) => FORMATS[format].values !== 'json'))(
    'of composite types are JSON text in %s',
    async (format) => {
      const text = `SELECT [1, nan] AS list, (1, 'a') AS pair, map('k', 'v') AS map, CAST('b', 'Enum8(\\'b\\' = 1)') AS enum,
      toIPv4('127.0.0.1') AS address, NULL AS nothing, toDecimal64(1.25, 2) AS price`;
      const result = await fetchFormat(format, text, { columns: 'unknown' });
      const [row] = await readRows(format, result.body);
      expect(row).toMatchObject({
        list: '[1,null]',
        pair: '[1,"a"]',
        map: '{"k":"v"}',
        enum: 'b',
        address: '127.0.0.1',
        nothing: null,
      });
    },
  );

  it.each(FORMAT_NAMES)('can have any column names, in %s', async (format) => {
    const names = ['a b', '`', '"', '\\', '$x', '${0}', 'é', 'select', 'answer_rows', '=1', "'"];
    const text = `SELECT ${names.map((name, at) => `${at === 0 ? 'nan' : at} AS \`${name.replaceAll(/[\\`]/g, '\\$&')}\``).join(', ')}`;
    const result = await fetchFormat(format, text, { columns: 'unknown' });
    const [row = {}] = await readRows(format, result.body);
    expect(Object.keys(row)).toEqual(names);
    expect(Object.values(row).map((value) => (value === null ? 0 : Number(value) || 0))).toEqual(
      names.map((_, at) => at),
    );
  });

  it.each(FORMAT_NAMES)('that are not UTF-8 are converted, in %s', async (format) => {
    const result = await fetchFormat(format, `SELECT unhex('61FF62') AS text`, { columns: 'unknown' });
    expect(await readRows(format, result.body)).toEqual([{ text: 'a\uFFFDb' }]);
  });

  it('are in the query’s order in every format, although formats write values differently', async () => {
    const text = 'SELECT number AS n, number / 2 AS half FROM numbers_mt(200000) ORDER BY cityHash64(n)';
    const orderIn = async (format: FormatName): Promise<readonly number[]> => {
      const result = await fetchFormat(format, text, { columns: 'unknown', rowCap: 70_000 });
      return (await readRows(format, result.body)).map(({ n }) => Number(n));
    };
    const expected = await orderIn('json');
    for (const format of FORMAT_NAMES.filter((name) => name !== 'json')) {
      const order = await orderIn(format);
      expect([format, order.length]).toEqual([format, 70_000]);
      expect([format, order.findIndex((n, index) => n !== expected[index])]).toEqual([format, -1]);
    }
  });
});

it.each([
  ['csv', '"c"\r\n\r\n""\r\n'],
  ['tsv', 'c\n\\N\n\n'],
] as const)('a null of a single column is distinct from the empty text in %s', async (format, expected) => {
  const text =
    "SELECT c FROM (SELECT 0 AS at, NULL::Nullable(String) AS c UNION ALL SELECT 1, '') ORDER BY at";
  expect((await fetchFormat(format, text, { columns: 'unknown' })).body.toString()).toBe(expected);
});

describe('no rows', () => {
  it.each(FORMAT_NAMES)('are returned in %s with its columns, if it can describe them', async (format) => {
    const result = await fetchFormat(format, 'SELECT number AS n FROM numbers(0)', {
      columns: new Map([['n', column('UInt64', 'A number.')]]),
    });
    expect([result.rowCount, result.truncated]).toEqual([0, false]);
    expect(await readRows(format, result.body)).toEqual([]);
    if (format === 'csv') expect(result.body.toString()).toBe('"n"\r\n');
    if (format === 'tsv') expect(result.body.toString()).toBe('n\n');
    if (format === 'ndjson') expect(result.body).toHaveLength(0);
  });
});

describe('CSV for spreadsheets', () => {
  const CELLS = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\n=x',
    '＝1',
    'a',
    '',
    '"=1"',
    'a,=b',
    'a\r\n=b',
    "'=1",
  ];

  it('has no formulas: an apostrophe precedes them, and everything else is unchanged', async () => {
    const text = `SELECT -n AS \`=n\`, text FROM (SELECT arrayJoin(arrayEnumerate(cells)) AS n, cells[n] AS text
      FROM (SELECT {cells:Array(String)} AS cells)) ORDER BY n`;
    const request = queryRequest(`${text}\nLIMIT {row_limit:UInt64}`, {
      columns: 'unknown',
      representation: representationOf('csv', { formulaSafe: true }),
      rowCap: 100,
      parameters: { row_limit: 101, cells: CELLS },
    });
    const rows = await readRows('csv', (await runQuery(request)).body);
    expect(rows.map(({ text: cell }) => cell)).toEqual(
      CELLS.map((cell) => (/^[=+\-@\t\r\n＝]/.test(cell) ? `'${cell}` : cell)),
    );
    expect(rows.map((row) => row["'=n"])).toEqual(CELLS.map((_, index) => -1 - index));
  });
});

describe('a failure after the first rows', () => {
  it.each(FORMAT_NAMES)('returns an error and no rows in %s', async (format) => {
    const text = `SELECT throwIf(number = 200000, 'late') AS n FROM numbers(300000)`;
    await expect(fetchFormat(format, text, { rowCap: 250_000 })).rejects.toMatchObject({
      code: 'CLICKHOUSE_FAILED',
    });
  });
});
