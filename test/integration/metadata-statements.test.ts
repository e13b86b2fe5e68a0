import { readStatement } from '../../src/gateway/tables/read-statement.js';
import { aliasAt } from '../../src/gateway/tables/words.js';
import { readFrame } from '../../src/endpoint/sql-file/select/frame.js';
import { readSingleStatement } from '../../src/endpoint/sql-file/select/single-statement.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { textOfSelect } from '../support/example-statements.js';
import { tableNames } from '../support/table-names.js';

const database = useTestDatabase();

beforeAll(async () => {
  await database.client.command({
    query: `CREATE TABLE a_table (id UInt64, name LowCardinality(Nullable(String)) DEFAULT 'x' COMMENT 'A name', day Date, n Nullable(Int8))
      ENGINE = MergeTree ORDER BY (day, id) PRIMARY KEY day`,
  });
  await database.client.command({ query: 'CREATE VIEW a_view AS SELECT 1 AS one' });
});

async function answer(query: string): Promise<{ readonly meta: unknown; readonly data: unknown }> {
  const result = await database.client.query({ query, format: 'JSONCompact' });
  const { meta, data } = await result.json();
  // ClickHouse's own order of functions is none.
  return { meta, data: /functions/i.test(query) ? data.map((row) => JSON.stringify(row)).sort() : data };
}

function rewritten(sql: string): string {
  const names = tableNames(database.name, ['a_table', 'a_view']);
  const statement = readStatement(sql, names, { user: 'u', database: database.name, isUsed: () => false });
  if (statement.kind !== 'select') throw new Error(`${sql} is read as no SELECT`);
  const { slot = '', reads } = statement;
  const parts = reads.map(({ table, internal }) => `${internal} AS (SELECT * FROM ${table})`);
  return textOfSelect(statement).replaceAll(slot, () => parts.join(', '));
}

it.each([
  'SHOW DATABASES',
  "SHOW DATABASES NOT ILIKE 'S%' LIMIT 2",
  'SHOW TABLES',
  "SHOW TABLES FROM system LIKE 'table%'",
  "SHOW FULL TABLES IN `system` ILIKE 'ONE'",
  'SHOW COLUMNS FROM a_table',
  "SHOW FULL COLUMNS IN a_table NOT LIKE 'n%'",
  'SHOW FIELDS FROM tables FROM system LIMIT 3',
  "SHOW FUNCTIONS LIKE 'toStartOf%'",
  "SHOW FUNCTIONS ILIKE 'TOSTARTOF%'",
  "SHOW SETTINGS LIKE 'max_threads'",
  "SHOW CHANGED SETTINGS ILIKE 'max_threads'",
  'SHOW ENGINES',
  'SHOW CLUSTERS',
  'DESCRIBE TABLE a_table',
  'DESC `a_view`',
  'EXISTS TABLE a_table',
  'EXISTS a_view',
  'EXISTS VIEW a_view',
  'EXISTS VIEW a_table',
  'EXISTS VIEW nothing',
  'EXISTS TABLE nothing.here',
  'EXISTS DATABASE system',
  'EXISTS DATABASE nothing',
  'EXISTS DICTIONARY a_table',
  'EXISTS TEMPORARY TABLE a_table',
])('answers %s as ClickHouse does', async (sql) => {
  expect(await answer(rewritten(sql))).toEqual(await answer(sql));
});

it('shows how a table was created', async () => {
  const { meta, data } = await answer(rewritten('SHOW CREATE TABLE a_view'));
  const [[statement]] = (await answer('SHOW CREATE TABLE a_view')).data as [[string]];
  expect({ meta, data }).toEqual({
    meta: [{ name: 'statement', type: 'String' }],
    data: [[statement.replaceAll(/\s+/g, ' ').replace('( ', '(').replace(' )', ')')]],
  });
});

it('takes the same words for aliases of tables as ClickHouse', async () => {
  const { data } = await answer(
    `SELECT DISTINCT arrayJoin(splitByChar(' ', keyword)) AS word, formatQuerySingleLineOrNull('SELECT 1 FROM t ' || word) AS formatted
     FROM system.keywords ORDER BY word`,
  );
  const expected = (data as [string, string | null][]).map(([word, formatted]): [string, boolean] => [
    word,
    /AS [\w`]+$/.test(formatted ?? ''),
  ]);
  const isAlias = (word: string): boolean => {
    const nodes = readSingleStatement(word).tokens;
    // In front of SELECT, ClickHouse reads no alias where more follows.
    return word === 'SELECT' || aliasAt(readFrame(nodes).words, 0) !== undefined;
  };
  expect(expected.map(([word]) => [word, isAlias(word)])).toEqual(expected);
});
