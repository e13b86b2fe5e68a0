import { checkEndpoint } from '../../src/cli/check/check-endpoint.js';
import type { CheckedEndpoint } from '../../src/cli/check/checked-endpoint.js';
import { createQueryRunner } from '../../src/clickhouse/query-runner.js';
import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { sql } from '../../src/endpoint/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

/** Reads 1,500 of 10,240 rows, stored in granules of 1,024 rows. */
const COUNTED = defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a19',
  name: 'counted',
  summary: 'For a test.',
  parameters: {},
  columns: { n: column('UInt32', 'A number.') },
  maxRows: 1000,
  caching: 300,
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: () => sql`SELECT n FROM counted WHERE n < 1500 ORDER BY n`,
});

let database: TestDatabase;

const check = (endpoint: Endpoint): Promise<CheckedEndpoint> =>
  checkEndpoint(endpoint, {
    client: database.client,
    runQuery: createQueryRunner(database.client, { timeoutMs: 20_000 }),
    now: () => new Date(),
    signal: new AbortController().signal,
  });

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('reports the exact rows of an example, and the rows that ClickHouse reads for it', async () => {
  await database.client.command({
    query:
      'CREATE TABLE counted ENGINE = MergeTree ORDER BY n SETTINGS index_granularity = 1024 ' +
      'AS SELECT toUInt32(number) AS n FROM numbers(10240)',
  });
  expect(await check(COUNTED)).toMatchObject({
    name: 'counted',
    faults: [],
    warnings: [],
    rows: 1000,
    truncated: true,
    estimate: [{ table: 'counted', parts: 1, rows: 2048, marks: 2, tableMarks: 10 }],
  });
});
