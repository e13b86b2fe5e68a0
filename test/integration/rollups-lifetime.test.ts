import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const ask = async (query: string): Promise<readonly string[]> =>
  (await (await database.client.query({ query, format: 'JSONCompactEachRow' })).json<unknown[]>()).map(
    String,
  );
const run = async (query: string): Promise<void> => {
  await database.client.command({ query });
};

/** How many days ago: gone as a whole, and as a whole still there. A day between them goes in the course of today. */
const GONE = [92, 95, 120];
const KEPT = [0, 1, 45, 89];

const TABLES = {
  function_relay_logs: {
    insert: "(project, timestamp, execution_time_ms) SELECT 'p', at, 1",
    rollups: {
      function_relay_minutes: 'toDate(minute) AS day, sum(invocations)',
      function_relay_hours: 'toDate(hour) AS day, sum(invocations)',
      function_relay_days: 'toDate(day) AS day, sum(invocations)',
    },
  },
  edge_logs: {
    insert: "(project, timestamp, url) SELECT 'p', at, 'https://p/'",
    rollups: {
      edge_request_minutes: 'toDate(minute) AS day, sum(requests)',
      edge_request_hours: 'toDate(hour) AS day, sum(requests)',
    },
  },
  custom_events: {
    insert: "(event_type, timestamp) SELECT 'url_redirect', at",
    rollups: {
      custom_event_days: 'toDate(custom_event_days.day) AS day, sum(hits)',
      redirect_days: 'toDate(redirect_days.day) AS day, sum(hits)',
    },
  },
} as const;

describe.each(Object.entries(TABLES))('records of %s past 90 days', (table, { insert, rollups }) => {
  it('go, and with them what the rollups keep of them; what is younger stays in both', async () => {
    await run(`
      INSERT INTO ${table} ${insert}
      FROM (
        SELECT toDateTime64(toStartOfDay(now('UTC')), 6, 'UTC') - toIntervalDay(arrayJoin([${[...GONE, ...KEPT].join()}]))
          + toIntervalHour(arrayJoin([0, 9, 23])) AS at
      )`);
    for (const each of [table, ...Object.keys(rollups)]) await run(`OPTIMIZE TABLE ${each} FINAL`);
    const expected = await ask(
      `SELECT toDate(now('UTC') - toIntervalDay(arrayJoin([${KEPT.join()}]))) AS day, 3 ORDER BY day`,
    );
    expect(
      await ask(`SELECT toDate(timestamp) AS day, count() FROM ${table} GROUP BY day ORDER BY day`),
    ).toEqual(expected);
    for (const [rollup, columns] of Object.entries(rollups)) {
      expect(await ask(`SELECT ${columns} FROM ${rollup} GROUP BY day ORDER BY day`)).toEqual(expected);
    }
  });
});
