import { settleAll } from '../../support/settle-all.js';
import { REJECTED } from './attempts.js';
import { HARMLESS } from './attempts/harmless.js';
import { CONNECTIONS, openSandbox, type SandboxUnderTest } from './sandbox-under-test.js';

const NOW = new Date('2096-03-01T12:00:00Z');
const SECRET = 'SECRET-5b1f';
const OTHER = `other_${Date.now()}`;

let sandbox: SandboxUnderTest;

beforeAll(async () => {
  sandbox = await openSandbox('logs.all', { project: 'aurora', project_tier: 'PRO' }, NOW);
  const { client, insert } = sandbox.database;
  const record = (project: string, event_message: string): object => ({
    project,
    event_message,
    timestamp: '2096-03-01T11:00:00Z',
    metadata: { event_message },
  });
  await insert('edge_logs', [record('aurora', 'mine'), record('other', SECRET)]);
  await insert('database_logs', [record('other', SECRET)]);
  await client.command({ query: `CREATE DATABASE ${OTHER}` });
  for (const database of [sandbox.database.name, OTHER]) {
    await client.command({
      query: `CREATE TABLE ${database}.vault ENGINE = MergeTree ORDER BY () AS SELECT '${SECRET}' AS secret`,
    });
  }
});
afterAll(async () => {
  await sandbox.database.client.command({ query: `DROP DATABASE ${OTHER} SYNC` });
  await sandbox.close();
});

const placed = (sql: string): string =>
  sql.replaceAll('{db}', sandbox.database.name).replaceAll('{other}', OTHER);

/** The queries that ClickHouse started under these comments, and every DESCRIBE, which has no comment. */
const ran = async (requestIds: readonly string[]): Promise<readonly string[]> => {
  const { client } = sandbox.database;
  await client.command({ query: 'SYSTEM FLUSH LOGS' });
  const result = await client.query({
    query: `SELECT query FROM system.query_log WHERE log_comment IN ({requestIds:Array(String)})
            OR (startsWith(query, 'DESCRIBE') AND current_database = currentDatabase())`,
    query_params: { requestIds },
    format: 'JSONEachRow',
  });
  return (await result.json<{ query: string }>()).map(({ query }) => query);
};

describe('an attempt to read', () => {
  let total = 0;
  afterAll(() => {
    process.stdout.write(
      `sandbox: ${total} escapes rejected and never run, ${HARMLESS.length} harmless ones read no secret\n`,
    );
  });

  it.each(Object.entries(REJECTED))('%s is rejected, and never runs', async (what, attempts) => {
    expect(new Set(attempts).size).toBe(attempts.length);
    const requestIds = attempts.map((_, index) => `${what} ${index} ${OTHER}`);
    const others: string[] = [];
    await settleAll(
      attempts,
      async (attempt, index) => {
        const sql = placed(attempt);
        const outcome = await sandbox.rejection(sql, requestIds[index]);
        expect(outcome).not.toMatch(/DB::|Exception|In scope|SECRET/);
        if (!/^400 [a-z]/.test(outcome)) others.push(`${sql.slice(0, 200)} => ${outcome}`);
      },
      CONNECTIONS,
    );
    expect(others).toEqual([]);
    expect(await ran(requestIds)).toEqual([]);
    total += attempts.length;
  });

  it('a harmless attempt reads nothing of other tenants', async () => {
    await settleAll(
      HARMLESS,
      async (attempt) => {
        const outcome = await sandbox.rejection(placed(attempt));
        expect(`${attempt} => ${outcome}`).toMatch(/=> (?:400 [a-z]|succeeded: )/);
        const result = await sandbox.run(placed(attempt)).catch(() => undefined);
        expect(result?.text.replaceAll('%SECRET%', '') ?? '').not.toContain(SECRET);
      },
      CONNECTIONS,
    );
  });
});

it('covers at least 300 escapes', () => {
  const distinct = new Set(Object.values(REJECTED).flat());
  expect(distinct.size).toBeGreaterThanOrEqual(300);
});
