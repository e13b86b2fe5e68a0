import { fillDemoData } from '../../src/demo-data/fill-demo-data.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

const NOW = new Date();
const TABLES = [
  ...['auth_logs', 'custom_events', 'database_logs', 'edge_logs', 'function_event_logs'],
  ...['function_relay_logs', 'pooler_logs', 'realtime_logs', 'rest_logs', 'storage_logs'],
];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  expect(await fillDemoData(database.client, NOW)).toBe(true);
}, 60_000);

afterAll(() => database.close());

async function rowsOf(
  { client }: TestDatabase,
  query: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await client.query({ query, query_params: { now: NOW }, format: 'JSONEachRow' });
  return result.json<Record<string, unknown>>();
}

/** Evaluates aggregates on each table, in the order of TABLES. */
function ofEachTable(from: TestDatabase, aggregates: string): ReturnType<typeof rowsOf> {
  const queries = TABLES.map((table) => `SELECT '${table}' AS table, ${aggregates} FROM ${table}`);
  return rowsOf(from, `SELECT * FROM (${queries.join(' UNION ALL ')}) ORDER BY table`);
}

const HASH = 'sum(cityHash64(*)) AS hash';
const NOW_SQL = `{now:DateTime64(6, 'UTC')}`;

describe('the demonstration data', () => {
  it('has about 360,000 rows', async () => {
    const counts = (await ofEachTable(database, 'count() AS count')).map(({ count }) => Number(count));
    expect(counts).toHaveLength(TABLES.length);
    expect(Math.min(...counts)).toBeGreaterThan(5000);
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(Math.round(total / 40_000) * 40_000).toBe(360_000);
  });

  it('gives each table 30 days up to now, with ids of its own and metadata that is JSON', async () => {
    const facts = await ofEachTable(
      database,
      `uniqExact(id) = count() AS ids, min(isValidJSON(metadata)) AS json,
       max(timestamp) BETWEEN ${NOW_SQL} - INTERVAL 2 HOUR AND ${NOW_SQL} AS newest,
       min(timestamp) BETWEEN ${NOW_SQL} - INTERVAL 31 DAY AND ${NOW_SQL} - INTERVAL 25 DAY AS oldest`,
    );
    expect(facts).toEqual(TABLES.map((table) => ({ table, ids: 1, json: 1, newest: 1, oldest: 1 })));
  });

  it('has busy and quiet hours and failures in each shop', async () => {
    const shops = await rowsOf(
      database,
      `SELECT project, max(requests) > 1.5 * min(requests) AS varies, sum(failed) > 10 AS fails
       FROM
       (
           SELECT project, toStartOfHour(timestamp) AS hour, count() AS requests, countIf(status_code >= 500) AS failed
           FROM edge_logs
           WHERE timestamp BETWEEN ${NOW_SQL} - INTERVAL 7 DAY AND ${NOW_SQL} - INTERVAL 1 HOUR
           GROUP BY project, hour
       )
       GROUP BY project
       ORDER BY project`,
    );
    const projects = ['aurora', 'basalt', 'cobalt', 'delta'];
    expect(shops).toEqual(projects.map((project) => ({ project, varies: 1, fails: 1 })));
  });

  it('is the same for the same now', async () => {
    const other = await createTestDatabase();
    try {
      await fillDemoData(other.client, NOW);
      expect(await ofEachTable(other, HASH)).toEqual(await ofEachTable(database, HASH));
    } finally {
      await other.close();
    }
  }, 60_000);

  it('leaves all tables alone when one of them has a row', async () => {
    const other = await createTestDatabase();
    try {
      await other.insert('pooler_logs', [{ project: 'p', event_message: 'm' }]);
      expect(await fillDemoData(other.client, NOW)).toBe(false);
      expect(await rowsOf(other, 'SELECT 1 FROM edge_logs LIMIT 1')).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
