import path from 'node:path';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';

import { checkEndpoint } from '../../src/commands/check/check-endpoint.js';
import type { CheckedEndpoint } from '../../src/commands/check/checked-endpoint.js';
import { textOfProblem } from '../../src/endpoint/file-problems.js';
import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { choose, is, oneOf } from '../../src/endpoint/index.js';
import { sql, type Sql } from '../../src/endpoint/sql.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const DEFINITION = {
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a19',
  name: 'counted',
  summary: 'For a test.',
  parameters: {},
  maxRows: 1000,
  caching: 300,
  warming: 0,
  sandboxing: 'disabled',
  example: {},
} as const;

/** 10,240 rows with two columns. */
const TABLE =
  'CREATE TABLE counted ENGINE = MergeTree ORDER BY n SETTINGS index_granularity = 1024 ' +
  'AS SELECT toUInt32(number) AS n, toString(n) AS hidden FROM numbers(10240)';

const READ = { table: 'counted', rows: 2048, parts: { read: 1, of: 1 }, granules: { read: 2, of: 10 } };

const database = useTestDatabase();

const endpointOf = (build: () => Sql): Endpoint =>
  defineEndpoint({ ...DEFINITION, columns: { n: column('UInt32', 'A number.') }, build });

const check = (endpoint: Endpoint, client = database.client): Promise<CheckedEndpoint> =>
  checkEndpoint(endpoint, {
    client,
    runQuery: createQueryRunner(client, { timeoutMs: 20_000 }),
    now: () => new Date(),
    signal: new AbortController().signal,
  });

const faultsOf = ({ problems }: CheckedEndpoint): readonly string[] => problems.map(textOfProblem);

it('reports the exact rows of an example, and the rows that ClickHouse reads for it', async () => {
  await database.client.command({ query: TABLE });
  // 1,500 of 10,240 rows, stored in granules of 1,024 rows.
  const counted = endpointOf(() => sql`SELECT n FROM counted WHERE n < 1500 ORDER BY n`);
  expect(await check(counted)).toMatchObject({
    name: 'counted',
    problems: [],
    warnings: [expect.stringContaining('the example has more than 1000 rows') as string],
    example: { rows: 1000, truncated: true },
    tables: [READ],
  });
});

it('reports a query that fails once, with ClickHouse’s text, the SQL, and a caret below the mistake', async () => {
  const misspelt = endpointOf(
    () => sql`
    SELECT n
    FROM counted
    WHERE m < 1500`,
  );
  const faults = faultsOf(await check(misspelt));
  expect(faults).toHaveLength(1);
  expect(faults[0]?.split('\n')).toEqual([
    expect.stringMatching(/^Unknown [a-z ]+ `m`\. Maybe you meant: \[.n.\]$/),
    '    SELECT n',
    '    FROM counted',
    '    WHERE m < 1500',
    '          ^',
    '    LIMIT {row_limit:UInt64}',
    expect.stringContaining('47'),
  ]);
  const malformed = await check(endpointOf(() => sql`SELECT n FROM counted WHERE ) n < 1500`));
  expect(faultsOf(malformed)).toEqual([
    expect.stringMatching(/^Syntax error[^\n]*\n {4}SELECT n FROM counted WHERE \) n < 1500\n {32}\^\n/),
  ]);
});

it('reports an example that fails while it runs once, with the estimate of what it would read', async () => {
  const throwing = endpointOf(
    () => sql`SELECT toUInt32(n + throwIf(n = 7, 'seven')) AS n FROM counted WHERE counted.n < 1500`,
  );
  const checked = await check(throwing);
  expect(checked.tables).toMatchObject([READ]);
  expect(faultsOf(checked)).toEqual([expect.stringMatching(/^the example failed: seven/)]);
});

it('reports a column that no format can hold once, and warns of one that some formats cannot', async () => {
  const state = 'AggregateFunction(sum, UInt32)';
  const build = (): Sql => sql`SELECT sumState(counted.n) AS n FROM counted`;
  const states = defineEndpoint({ ...DEFINITION, columns: { n: column(state, 'A state.') }, build });
  expect(faultsOf(await check(states))).toEqual([
    `column n: ${state} is an aggregate state, which no output format can hold`,
  ]);
  const unknown = defineEndpoint({ ...DEFINITION, columns: { n: column('Quaternion', 'A turn.') }, build });
  expect((await check(unknown)).warnings).toContain(
    'column n: csv, tsv, parquet, arrow cannot hold Quaternion',
  );
});

it('adds up of how much several reads of a table read, as it adds up what they read', async () => {
  const build =
    (): Sql => sql`SELECT n FROM counted WHERE n < 1500 UNION ALL SELECT n FROM counted WHERE n > 9000
    UNION ALL SELECT n FROM counted WHERE n = 7`;
  const { tables } = await check(endpointOf(build));
  expect(tables).toMatchObject([{ reads: 3, parts: { read: 3, of: 3 }, granules: { of: 30 } }]);
});

it('warns of an alias in place of a column, in every branch, unless the query prefers columns', async () => {
  const select = sql`SELECT toUInt32(intDiv(n, 1000)) AS n FROM counted WHERE n < 1500`;
  const warnings = async (query: Sql): Promise<string> =>
    (await check(endpointOf(() => query))).warnings.join();
  expect(await warnings(sql`SELECT n FROM (${select})`)).toContain('write counted.n for the column');
  const cities = { unit: oneOf(['one', 'all'], { default: 'one', description: 'Unit.' }) };
  const branch = defineEndpoint({
    ...{ ...DEFINITION, parameters: cities, columns: { n: column('UInt32', 'A number.') } },
    build: ({ unit }) => choose([is(unit, 'all'), select], sql`SELECT n FROM counted WHERE n < 1500`),
  });
  expect((await check(branch)).warnings.join()).toContain('WHERE uses n');
  const preferring = sql`SELECT n FROM (${select} SETTINGS prefer_column_name_to_alias = 1)`;
  expect(await warnings(preferring)).not.toContain('WHERE');
});

it('needs no right but those of the query, and names one that is missing', async () => {
  await withReader('GRANT SELECT(n) ON checked.counted', async (reader) => {
    const counted = endpointOf(() => sql`SELECT n FROM counted WHERE n < 1500 ORDER BY n`);
    expect(await check(counted, reader)).toMatchObject({
      problems: [],
      example: { rows: 1000 },
      tables: [READ],
    });
    const denied = await check(
      endpointOf(() => sql`SELECT n FROM counted WHERE hidden = '7'`),
      reader,
    );
    expect(faultsOf(denied)).toEqual([
      expect.stringMatching(
        /^the ClickHouse user querygate lacks the right SELECT\S* ON checked\.counted: run `querygate grants`, and grant it as an administrator$/,
      ),
    ]);
  });
});

/** Runs a task with a client of the read-only user, who has one right on a server with the database `checked`. */
async function withReader(grant: string, task: (reader: QueryClient) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const server = await EmbeddedServer.start({
      dataDir: path.join(folder, 'data'),
      database: 'checked',
      grants: [grant],
      onCrash: () => undefined,
    });
    const options = { maxOpenConnections: 2, requestTimeoutMs: 30_000 };
    const admin = connectClickHouse({ ...server.adminConnection, database: 'default' }, options);
    const reader = connectClickHouse(server.readerConnection, options);
    try {
      await admin.command({ query: 'CREATE DATABASE IF NOT EXISTS checked' });
      await admin.command({ query: TABLE.replace('counted', 'checked.counted') });
      await task(reader);
    } finally {
      await Promise.all([admin.close(), reader.close()]);
      await server.stop();
    }
  });
}
