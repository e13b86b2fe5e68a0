import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { fillDemoData } from '../../src/commands/demo-data/fill-demo-data.js';
import { createTestDatabase } from '../support/clickhouse.js';
import { demoDatabase } from '../support/demo-database.js';
import { REFERENCE } from '../support/reference-project.js';

const TABLES = [
  ...['auth_logs', 'custom_events', 'database_logs', 'edge_logs', 'function_event_logs'],
  ...['function_relay_logs', 'pooler_logs', 'realtime_logs', 'rest_logs', 'storage_logs'],
];

let demo: ClickHouseClient;
let now: Date;

beforeAll(async () => {
  const { connection, now: filledUpTo } = await demoDatabase();
  demo = connectClickHouse(connection, { maxOpenConnections: 2, requestTimeoutMs: 60_000 });
  now = filledUpTo;
});

afterAll(() => demo.close());

async function rowsOf(
  client: ClickHouseClient,
  query: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await client.query({ query, query_params: { now }, format: 'JSONEachRow' });
  return result.json<Record<string, unknown>>();
}

/** Evaluates aggregates on each table, in the order of TABLES. */
function ofEachTable(from: ClickHouseClient, aggregates: string): ReturnType<typeof rowsOf> {
  const queries = TABLES.map((table) => `SELECT '${table}' AS table, ${aggregates} FROM ${table}`);
  return rowsOf(from, `SELECT * FROM (${queries.join(' UNION ALL ')}) ORDER BY table`);
}

const HASH = 'sum(cityHash64(*)) AS hash';
const NOW_SQL = `{now:DateTime64(6, 'UTC')}`;

describe('the demo data', () => {
  it('has 365,000 to 400,000 rows, fewer of them the more weekends its 30 days have', async () => {
    const counts = (await ofEachTable(demo, 'count() AS count')).map(({ count }) => Number(count));
    expect(counts).toHaveLength(TABLES.length);
    expect(Math.min(...counts)).toBeGreaterThan(5000);
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(365_000);
    expect(total).toBeLessThan(400_000);
  });

  it('has rows of the last 30 days in each table, with unique ids and with metadata that is JSON', async () => {
    const facts = await ofEachTable(
      demo,
      `uniqExact(id) = count() AS ids, min(isValidJSON(metadata)) AS json,
       max(timestamp) BETWEEN ${NOW_SQL} - INTERVAL 2 HOUR AND ${NOW_SQL} AS newest,
       min(timestamp) BETWEEN ${NOW_SQL} - INTERVAL 31 DAY AND ${NOW_SQL} - INTERVAL 25 DAY AS oldest`,
    );
    expect(facts).toEqual(TABLES.map((table) => ({ table, ids: 1, json: 1, newest: 1, oldest: 1 })));
  });

  it('has busy and quiet hours and failures in each shop', async () => {
    const shops = await rowsOf(
      demo,
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
      expect(await fillDemoData(other.client, REFERENCE.demoFolder, now)).toBe(true);
      expect(await ofEachTable(other.client, HASH)).toEqual(await ofEachTable(demo, HASH));
    } finally {
      await other.close();
    }
  });

  it('changes no table if one of them has a row', async () => {
    const other = await createTestDatabase();
    try {
      await other.insert('pooler_logs', [{ project: 'p', event_message: 'm' }]);
      expect(await fillDemoData(other.client, REFERENCE.demoFolder, now)).toBe(false);
      expect(await rowsOf(other.client, 'SELECT 1 FROM edge_logs LIMIT 1')).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
