import { quoteName, quoteText } from '../../../src/endpoint/quote-sql.js';
import { parametersOf } from '../../../src/gateway/clickhouse/ready-query.js';
import { READER_USER } from '../../../src/commands/grants/reader-user-file.js';
import type { EndpointTable } from '../../../src/gateway/tables/catalogue.js';
import { findMetadata, metadataPart } from '../../../src/gateway/tables/metadata-part.js';
import { SHOWN_SETTINGS } from '../../../src/gateway/tables/settings.js';
import { SHAPES } from '../../../src/gateway/tables/shapes.js';
import { adminConnection, variable } from '../../support/clickhouse.js';
import { endpointTable } from '../../support/endpoint-table.js';
import { withEmptyDatabase } from '../../support/empty-database.js';
import { OF_ALL_DATABASES, OF_ONE_DATABASE } from './metadata-shapes.js';

/** Types whose figures differ. */
const TYPES = [
  ...['UInt64', 'Int8', 'String', 'LowCardinality(Nullable(String))', 'Nullable(Decimal(18, 4))', 'Float32'],
  ...[
    "DateTime('UTC')",
    'DateTime64(3)',
    "Nullable(DateTime64(6, 'UTC'))",
    'Date',
    'Date32',
    'FixedString(5)',
  ],
  ...[
    'Nullable(FixedString(3))',
    'Array(UInt8)',
    'Bool',
    "Enum8('a' = 1, 'b, c' = 2)",
    'UUID',
    'IPv4',
    'Tuple(x UInt8)',
  ],
  ...[
    'LowCardinality(String)',
    'Nullable(UInt256)',
    'Map(String, UInt8)',
    'Decimal(76, 3)',
    'LowCardinality(FixedString(2))',
  ],
  ...[
    'SimpleAggregateFunction(sum, UInt64)',
    'IntervalDay',
    'Variant(String, UInt8)',
    'Nullable(Bool)',
    'Int128',
    'Array(Decimal(9, 2))',
  ],
];

const TABLES = [
  endpointTable(
    'all_types',
    "A 'title' with\na line, a\ttab and a \\ backslash: é 🙂.",
    TYPES.map((type, index) => [`of ${index + 1} \`type\``, type, index % 2 ? '' : `'${type}'\r\n`]),
  ),
  endpointTable('with_arguments', 'By city.', [['a', 'UInt64', 'A.']], ['city', 'day']),
];

interface Answer {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly (readonly unknown[])[];
}

/** Runs a query with values that are sent as the gateway sends them. */
async function run(
  query: string,
  parameters: Readonly<Record<string, string>> = {},
  user = 'admin',
): Promise<Answer> {
  const { url, username, password } = adminConnection('default');
  const credentials =
    user === 'admin'
      ? `${username}:${password}`
      : `${READER_USER}:${variable('TEST_CLICKHOUSE_READER_PASSWORD')}`;
  const sent = await parametersOf(`${query} FORMAT JSONCompact`, { parameters });
  const response = await fetch(`${url}/?output_format_json_quote_64bit_integers=1&${sent.parameters}`, {
    method: 'POST',
    headers: { ...sent.headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: sent.body,
  });
  const body = await response.text();
  if (!response.ok) throw new Error(body);
  return JSON.parse(body || '{}') as Answer;
}

const METADATA = /\b(system|information_schema|INFORMATION_SCHEMA)\.(\w+)\b/g;

/** A statement with the parts of its metadata in front, as the user that runs endpoints. */
async function ofTables(sql: string): Promise<Answer> {
  const words = new Set(sql.match(/\w+/g));
  const parts: string[] = [];
  const parameters: Record<string, string> = {};
  const text = sql.replaceAll(METADATA, (_all, schema: string, name: string) => {
    const internal = `part_${parts.length}`;
    const table = findMetadata(schema, name) ?? '';
    const part = metadataPart(table, TABLES, { words, hasMatcher: sql.includes('*') }, internal);
    parts.push(`${internal} AS (${part.sql})`);
    Object.assign(parameters, part.parameters);
    return internal;
  });
  return run(`WITH ${parts.join(', ')} ${text}`, parameters, READER_USER);
}

/** The same views in a database of the server itself. */
async function withViews(use: (database: string) => Promise<void>): Promise<void> {
  await withEmptyDatabase(async ({ connection: { database } }) => {
    await run(`CREATE DATABASE ${database}`);
    for (const described of TABLES) {
      const columns = [...described.endpoint.columns].map(
        ([name, { type, meaning }]) =>
          `${quoteName(name)} ${type}${meaning && ` COMMENT ${quoteText(meaning)}`}`,
      );
      const { table } = described;
      const [comment] =
        (await ofTables(`SELECT comment FROM system.tables WHERE name = '${table}'`)).data[0] ?? [];
      await run(
        `CREATE VIEW ${database}.${table} (${columns.join(', ')}) COMMENT ${quoteText(String(comment))} AS SELECT 1`,
      );
    }
    await use(database);
  });
}

it('answers what clients ask of a database with the columns, types and rows of real views', async () => {
  await withViews(async (database) => {
    for (const [client, sql] of OF_ONE_DATABASE) {
      const real = await run(sql.replaceAll('DB', database));
      const ours = await ofTables(sql.replaceAll('DB', 'querygate'));
      expect({ client, meta: ours.meta }).toEqual({ client, meta: real.meta });
      const data = JSON.parse(JSON.stringify(real.data).replaceAll(database, 'querygate')) as unknown;
      expect({ client, data: ours.data }).toEqual({ client, data });
    }
  });
});

it.each(OF_ALL_DATABASES)('answers %s', async (_client, sql, rows) => {
  expect((await ofTables(sql)).data).toEqual(rows);
});

it.each([...SHAPES.keys()])('describes %s as ClickHouse does', async (table) => {
  const words = new Set((SHAPES.get(table) ?? []).map(({ name }) => name));
  const { sql, parameters } = metadataPart(table, TABLES, { words, hasMatcher: true }, 'part');
  const described = async (target: string): Promise<unknown> =>
    (await run(`DESCRIBE ${target}`, parameters)).data.map(([name, type]) => [name, type]);
  expect(await described(`(${sql})`)).toEqual(await described(`TABLE ${table}`));
});

it('shows settings with the types and defaults of ClickHouse', async () => {
  const names = SHOWN_SETTINGS.map(({ name }) => `'${name}'`).join(', ');
  const sql = `SELECT name, type, default, readonly FROM system.settings WHERE name IN (${names}) AND name != 'max_threads' ORDER BY name`;
  expect((await ofTables(sql)).data).toEqual((await run(sql)).data);
});

it('says in the comment of a table how its arguments are given, and shows names and types in place of SQL', async () => {
  const sql =
    "SELECT comment, create_table_query, as_select FROM system.tables WHERE name = 'with_arguments'";
  const comment = 'By city. Read it as with_arguments(city = …, day = …)';
  const query = `CREATE VIEW querygate.with_arguments (\`a\` UInt64) COMMENT '${comment}'`;
  expect((await ofTables(sql)).data).toEqual([[comment, query, '']]);
});

it('has no rows where the client can read no table', async () => {
  for (const table of ['system.tables', 'information_schema.columns']) {
    const { sql, parameters } = metadataPart(table, [], { words: new Set(), hasMatcher: true }, 'part');
    expect((await run(sql, parameters)).data).toEqual([]);
  }
});

it('answers for hundreds of endpoints, whose rows are longer than a value that ClickHouse takes', async () => {
  const [described] = TABLES;
  const many = Array.from(
    { length: 200 },
    (_, index) => ({ ...described, table: `t${index}` }) as EndpointTable,
  );
  const { sql, parameters } = metadataPart(
    'system.columns',
    many,
    { words: new Set(), hasMatcher: true },
    'part',
  );
  expect(Object.values(parameters).join('').length).toBeGreaterThan(400_000);
  const { data } = await run(
    `SELECT uniq(table), count(), max(position) FROM (${sql})`,
    parameters,
    READER_USER,
  );
  expect(data).toEqual([['200', '6000', '30']]);
});

it.each([
  [{ length: '4' }, '6'],
  [{ offset: '5', length: '3' }, '18'],
])('has the numbers of %j', async (args, sum) => {
  const reading = { words: new Set<string>(), hasMatcher: false, args: new Map(Object.entries(args)) };
  const { sql, parameters } = metadataPart('system.numbers', [], reading, 'part');
  expect((await run(`SELECT sum(number) FROM (${sql})`, parameters, READER_USER)).data).toEqual([[sum]]);
});
