import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { loadEndpoints } from '../../support/load-endpoints.js';
import { PARAMETERS, pathOf } from '../../recorded/requests.js';
import { NOW, rowsByTable, seeded } from '../../recorded/rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { referenceEndpoints } from '../../support/reference-project.js';
import { settleAll } from '../../support/settle-all.js';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.js';

/** The same endpoints as files in SQL; each has the name of one that has a builder. */
const IN_SQL = new URL('../../support/in-sql', import.meta.url).pathname;

/** Requests of each gateway at a time, so that ClickHouse is busy while the test compares. */
const AT_ONCE = 4;

let database: TestDatabase;
let builders: TestGateway;
let files: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  const tables = rowsByTable();
  // No other: each of the hundred days is a part to write.
  for (const table of ['function_relay_logs', 'custom_events'])
    await database.insert(table, tables.get(table) ?? []);
  const runQuery = createQueryRunner(database.client, { timeoutMs: 20_000 });
  const inSql = await loadEndpoints(IN_SQL);
  const withBuilders = await referenceEndpoints();
  const gatewayOf = (endpoints: typeof inSql): Promise<TestGateway> =>
    createTestGateway({ endpoints: endpoints.all(), clock: () => NOW });
  [builders, files] = await Promise.all([gatewayOf(withBuilders), gatewayOf(inSql)]);
  for (const gateway of [builders, files]) gateway.runQuery.respondWith(runQuery);
});

afterAll(() => database.close());

describe('an endpoint file in SQL', () => {
  it.each(['functions.invocation-stats', 'get-grouped-stats-events-logs'])(
    'responds byte for byte as the builder of %s, for 300 parameter sets',
    async (name) => {
      const random = seeded(16);
      const make = PARAMETERS[name];
      const paths = Array.from({ length: 300 }, () => pathOf(name, make?.(random) ?? {}));
      let rows = 0;
      await settleAll(
        paths,
        async (path) => {
          const [built, written] = await Promise.all([builders.get(path), files.get(path)]);
          expect([path, written.status, written.text]).toEqual([path, 200, built.text]);
          rows += Number(written.headers['x-row-count']);
        },
        AT_ONCE,
      );
      expect(rows).toBeGreaterThan(10_000);
    },
    120_000,
  );
});
