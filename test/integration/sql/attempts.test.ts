import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { settleAll } from '../../support/settle-all.js';
import { sharedSqlGateway, type SqlEndpoints } from '../../support/sql-gateway.js';
import { REJECTED } from '../sandbox/attempts.js';
import { HARMLESS } from '../sandbox/attempts/harmless.js';

/** Of rows that no endpoint shows, of rows of another tenant, and of the SQL of endpoints. */
const [SECRET, THEIRS, AUTHOR] = ['SECRET-5b1f', 'THEIRS-5b1f', 'AUTHOR-5b1f'];
const OTHER = `other_${Date.now()}`;
const CONNECTIONS = 8;

/** As `logs.all` has its parts, over which the attempts are written. */
const ENDPOINTS: SqlEndpoints = Object.fromEntries(
  ['result', 'edge-source', 'auth-source', 'database-source'].map((name) => [
    name,
    [
      [
        'parameters: { project: { kind: string, description: Project. } }',
        'columns: { id: UUID, timestamp: DateTime64(6), event_message: String, metadata: String }',
        'tenant: { edge_logs: project }',
        ...['tables: true', 'example: {}'],
      ],
      `SELECT id, timestamp, event_message, metadata FROM edge_logs
       WHERE project != 'hidden' AND event_message != '${AUTHOR}' [[ AND project = @project ]]`,
    ],
  ]),
);

let database: TestDatabase;
const opened = sharedSqlGateway(
  {},
  {
    connect: async () => {
      database = await createTestDatabase();
      const { client, insert } = database;
      const row = (project: string, event_message: string): object => ({
        ...{ project, event_message, timestamp: '2096-03-01T11:00:00Z', metadata: '{}' },
      });
      await insert('edge_logs', [row('aurora', 'mine'), row('basalt', THEIRS), row('hidden', SECRET)]);
      await client.command({ query: `CREATE DATABASE ${OTHER}` });
      for (const name of [database.name, OTHER])
        await client.command({
          query: `CREATE TABLE ${name}.vault ENGINE = MergeTree ORDER BY () AS SELECT '${SECRET}' AS secret`,
        });
      return database.connection;
    },
    endpoints: ENDPOINTS,
    keys: { tenant: { fixed: { project: 'aurora' } }, all: {} },
  },
);
afterAll(async () => {
  await database.client.command({ query: `DROP DATABASE ${OTHER} SYNC` });
  await database.close();
});

/** Sizes are bounded otherwise here. */
const KINDS = Object.entries({ ...REJECTED, harmless: HARMLESS }).filter(([kind]) => !kind.includes('size'));

/** What is offered here and not in a caller's SQL over one endpoint, without quotes and comments. */
const OFFERED =
  /\bsystem\.(?:one|tables|columns|settings)\b|information_schema\.|numbers\(10\)|edge_source\(\)|VALUES \(1, 2\)|\b(?:hostName|displayName|(?:current)?(?:User|Database)|version|revision|(?:server)?timezone)\(\)/i;

/** Kinds in which each attempt reads, or calls, what nobody may. */
const READS = /^(?:another table|a table function|a subquery|the dummy|a table to the right|a function)/;

const FORM = /^Code: (\d+)\. DB::Exception: [^]+ \([A-Z_]+\) \(version [\d.]+\)\n$/;
const HIDDEN = /SECRET-|AUTHOR-|_q[\da-f]{8}_|\bat .*\.js:/;

async function outcomeOf(sql: string, key: string): Promise<'refused' | 'allowed' | `wrong: ${string}`> {
  const response = await opened().send(sql, { key: `qg_${key}` });
  const [head, body] = [JSON.stringify([...response.headers]), await response.text()];
  const told = `${response.status} ${head} ${body}`;
  if (HIDDEN.test(told) || (key === 'tenant' && told.includes(THEIRS))) return `wrong: ${told}`;
  if (response.ok) return 'allowed';
  const code = response.headers.get('x-clickhouse-exception-code');
  return FORM.exec(body)?.[1] === code ? 'refused' : `wrong: ${told}`;
}

describe.each(['tenant', 'all'])('an attempt with the key %s', (key) => {
  test.each(KINDS)(
    '%s',
    async (kind, attempts) => {
      const wrong: string[] = [];
      await settleAll(
        attempts,
        async (attempt) => {
          const sql = attempt.replaceAll('{db}', database.name).replaceAll('{other}', OTHER);
          const outcome = await outcomeOf(sql, key);
          const isOffered = OFFERED.test(sql.replaceAll(/["`]|\/\*.*?\*\//g, '')) || !READS.test(kind);
          if (outcome !== 'refused' && !(outcome === 'allowed' && isOffered))
            wrong.push(`${sql} => ${outcome}`);
        },
        CONNECTIONS,
      );
      expect(wrong).toEqual([]);
    },
    120_000,
  );
});

test('the log has nothing of them, without the causes of failures', () => {
  const lines = opened().logger.lines.filter(({ level }) => level !== 'debug');
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter((line) => HIDDEN.test(JSON.stringify(line)))).toEqual([]);
});
