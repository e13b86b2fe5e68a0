import { useTestDatabase } from '../support/clickhouse.js';

const database = useTestDatabase();

const select = async (query: string, useProjections: 0 | 1 = 0): Promise<readonly string[]> => {
  const result = await database.client.query({
    query,
    format: 'JSONCompactEachRow',
    clickhouse_settings: { force_optimize_projection: useProjections },
  });
  return (await result.json<unknown[]>()).map(String);
};

/** Ages in days: a day removed as a whole and a day retained as a whole. The day between them is removed today. */
const REMOVED = [92, 95, 120];
const RETAINED = [0, 1, 45, 89];

const DAY = "toDate(dateTrunc('hour', timestamp))";

describe.each([
  ['function_relay_logs', "(project, timestamp, execution_time_ms) SELECT 'p', at, 1", DAY],
  ['edge_logs', "(project, timestamp, url, path) SELECT 'p', at, 'https://p/', '/rest'", DAY],
  ['custom_events', "(event_type, timestamp) SELECT 'url_redirect', at", 'toDate(toDate32(timestamp))'],
])('records of %s past 90 days', (table, insert, day) => {
  it('are removed, from the projections as well; younger records stay', async () => {
    await database.client.command({
      query: `
        INSERT INTO ${table} ${insert}
        FROM (
          SELECT
            toDateTime64(toStartOfDay(now('UTC')), 6, 'UTC')
              - toIntervalDay(arrayJoin([${[...REMOVED, ...RETAINED].join()}])) + toIntervalHour(arrayJoin([0, 9, 23])) AS at
        )`,
    });
    await database.client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const count = table === 'edge_logs' ? "countIf(position(path, '/rest') > 0)" : 'count()';
    const expected = await select(
      `SELECT toDate(now('UTC') - toIntervalDay(arrayJoin([${RETAINED.join()}]))) AS day, 3 ORDER BY day`,
    );
    expect(
      await select(`SELECT toDate(timestamp) AS day, count() FROM ${table} GROUP BY day ORDER BY day`),
    ).toEqual(expected);
    expect(await select(`SELECT ${day} AS day, ${count} FROM ${table} GROUP BY day ORDER BY day`, 1)).toEqual(
      expected,
    );
  });
});
