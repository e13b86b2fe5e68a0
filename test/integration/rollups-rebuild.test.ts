import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { ENDPOINTS_FOLDER } from '../../src/project-files.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

const DAY = '2096-02-27';
const page = await readFile(path.join(path.dirname(ENDPOINTS_FOLDER), 'docs/rollups.md'), 'utf8');
const [, block = ''] = /```sql\n([^]*?)```/.exec(page) ?? [];
const STATEMENTS = block
  .replaceAll('2026-11-20', DAY)
  .split(/;\n/)
  .map((statement) => statement.trim())
  .filter((statement) => statement !== '');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const run = async (query: string): Promise<void> => {
  await database.client.command({ query });
};
const ask = async (query: string): Promise<readonly string[]> =>
  (await (await database.client.query({ query, format: 'JSONCompactEachRow' })).json<unknown[]>()).map(
    String,
  );

const RECORDS = `
  SELECT toStartOfMinute(timestamp) AS at, function_id, count(), max(execution_time_ms)
  FROM function_relay_logs GROUP BY ALL ORDER BY ALL`;
const MINUTES = `
  SELECT minute AS at, function_id, sum(invocations), max(max_execution_time)
  FROM function_relay_minutes GROUP BY at, function_id ORDER BY ALL`;
const HOURS = 'SELECT hour, sum(invocations) FROM function_relay_hours GROUP BY hour ORDER BY hour';

it('is what the page’s statements do to a day whose records were deleted, and to no other table', async () => {
  await run(`
    INSERT INTO function_relay_logs (project, timestamp, function_id, execution_time_ms)
    SELECT 'p', toDateTime64('2096-02-26 12:00:00', 6, 'UTC') + toIntervalMinute(number * 7), toString(number % 3), number
    FROM numbers(600)`);
  const hours = await ask(HOURS);
  await run(`
    ALTER TABLE function_relay_logs DELETE WHERE toDate(timestamp) = '${DAY}' AND function_id = '1'
    SETTINGS mutations_sync = 2`);
  const left = await ask(RECORDS);
  expect(left.length).toBeGreaterThan(300);
  expect(await ask(MINUTES)).not.toEqual(left);
  expect(STATEMENTS).toHaveLength(4);
  for (const statement of STATEMENTS) await run(statement);
  expect(await ask(MINUTES)).toEqual(left);
  expect(await ask(HOURS)).toEqual(hours);
});
