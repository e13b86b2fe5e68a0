import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { sharedSqlGateway, type SqlEndpoints } from '../../support/sql-gateway.js';

/** Settings that pass, each with a value other than its default, and a SELECT of an endpoint whose rows it would change. */
const SETTINGS: readonly (readonly [name: string, value: string, select: string])[] = [
  [
    'join_use_nulls',
    '1',
    `SELECT toString(count()) AS x FROM (SELECT 1 AS n) AS l LEFT JOIN (SELECT 2 AS n, 3 AS m) AS r ON l.n = r.n WHERE r.m = 0`,
  ],
  ['cast_keep_nullable', '1', "SELECT toTypeName(CAST(materialize(toNullable(1)), 'UInt16')) AS x"],
  [
    'prefer_column_name_to_alias',
    '1',
    'SELECT toString(n * 10) AS x FROM (SELECT number + 1 AS number, number * 10 AS n FROM numbers(2))',
  ],
  ['output_format_json_quote_64bit_integers', '1', 'SELECT toJSONString(materialize(toInt64(5))) AS x'],
  ['output_format_json_quote_denormals', '1', 'SELECT toJSONString(materialize(toFloat64(1) / 0)) AS x'],
  [
    'date_time_output_format',
    'unix_timestamp',
    "SELECT toJSONString(materialize(toDateTime(1700000000, 'UTC'))) AS x",
  ],
  [
    'date_time_input_format',
    'basic',
    `SELECT ifNull(toString(JSONExtract(materialize('{"a":"14 Nov 2023 01:02:03"}'), 'a', 'Nullable(DateTime(\\'UTC\\'))')), '') AS x`,
  ],
  [
    'output_format_binary_write_json_as_string',
    '1',
    `SELECT hex(formatRowNoNewline('RowBinary', CAST('{"a":1}', 'JSON'))) AS x`,
  ],
  ['output_format_json_escape_forward_slashes', '1', "SELECT hex(toJSONString(materialize('a/b'))) AS x"],
  ['limit', '1', 'SELECT toString(sum(number)) AS x FROM (SELECT number FROM numbers(10))'],
  ['offset', '0', 'SELECT toString(sum(number)) AS x FROM (SELECT number FROM numbers(10))'],
  ['extremes', '1', 'SELECT toString(sum(number)) AS x FROM (SELECT number FROM numbers(10))'],
  ['session_timezone', 'Asia/Tokyo', "SELECT toString(toDateTime(number, 'UTC')) AS x FROM numbers(1)"],
];

const ENDPOINTS: SqlEndpoints = Object.fromEntries(
  SETTINGS.map(([name, , select]) => [
    name.replaceAll('_', '-'),
    [['columns: { x: String }', 'tables: true', 'example: {}'], select],
  ]),
);

let database: TestDatabase;
const opened = sharedSqlGateway(
  {},
  {
    connect: async () => {
      database = await createTestDatabase();
      return database.connection;
    },
    endpoints: ENDPOINTS,
    keys: { all: {} },
  },
);
afterAll(() => database.close());

/** Values of the API, where they are not 0. */
const NONE: Readonly<Record<string, string>> = {
  date_time_input_format: 'best_effort',
  date_time_output_format: 'iso',
};

/** Those that reach no SELECT of an endpoint: they are of the whole result. */
const OF_THE_RESULT = new Set(['limit', 'offset', 'extremes']);

it.each(SETTINGS)('the client’s %s=%s changes no row of an endpoint', async (name, value, select) => {
  const { gateway, rows } = opened();
  const target = `${gateway.url}/api/endpoints/query/${name.replaceAll('_', '-')}`;
  const response = await fetch(target, { headers: { 'X-API-KEY': 'qg_all' } });
  const { result } = (await response.json()) as { readonly result: readonly { readonly x: string }[] };
  const expected = result.map(({ x }) => `${JSON.stringify({ x })}\n`).join('');
  const sent = { key: 'qg_all', search: { [name]: value, default_format: 'JSONEachRow' } };
  const statements = [
    `SELECT x FROM ${name}`,
    `WITH own AS (SELECT * FROM ${name}) SELECT own.x AS x FROM own`,
    `SELECT a.x AS x FROM ${name} AS a JOIN (SELECT x FROM ${name}) AS b ON a.x = b.x`,
  ];
  for (const sql of statements) expect([sql, await rows(sql, { ...sent })]).toEqual([sql, expected]);
  // Ignored in the query string, and refused in a statement: REST has another value than ClickHouse.
  const isRefused = name === 'output_format_json_escape_forward_slashes';
  const inStatement = `${statements[0] ?? ''} SETTINGS ${name} = '${value}'`;
  if (!isRefused)
    expect(await rows(inStatement, { ...sent, search: { default_format: 'JSONEachRow' } })).toBe(expected);
  if (OF_THE_RESULT.has(name) || name === 'session_timezone') return;
  // The SELECT is one that the setting would change.
  const { client } = database;
  const own = async (clickhouse_settings: Record<string, string>): Promise<unknown> => {
    const answer = await client.query({ query: select, format: 'JSONCompact', clickhouse_settings });
    return (await answer.json<unknown[]>()).data;
  };
  expect(await own({ [name]: value })).not.toEqual(await own({ [name]: NONE[name] ?? '0' }));
});

test('a client that wants progress in headers gets rows, and no more headers than the gateway can read', async () => {
  // With 0 a header for each of about 150 blocks.
  const search = { send_progress_in_http_headers: '1', http_headers_progress_interval_ms: '0' };
  const blocks = 'SELECT count() FROM numbers(10000000) WHERE number % 3 = 3';
  expect(await opened().rows(blocks, { key: 'qg_all', search })).toBe('0\n');
});
