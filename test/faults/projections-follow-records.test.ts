import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../src/clickhouse/connection.js';
import { EmbeddedServer } from '../../src/clickhouse/embedded/embedded-server.js';
import { createQueryRunner } from '../../src/clickhouse/query-runner.js';
import { migrate } from '../../src/clickhouse/schema/migrate.js';
import { readMigrations } from '../../src/clickhouse/schema/migration-files.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from '../../src/project-files.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/made-folder.js';
import { pollUntil } from '../support/poll-until.js';
import { settleAll } from '../support/settle-all.js';
import { createTestGateway, type TestGateway } from '../support/test-gateway.js';

const NOW = '2096-03-01T12:30:00Z';
const TABLES = ['function_relay_logs', 'edge_logs', 'custom_events'] as const;
type Table = (typeof TABLES)[number];

/** One block of 1,000 records over eight days, the last of them half an hour ago. */
const TIMES = "toDateTime64('2096-03-01 12:00:00', 6, 'UTC') - toIntervalSecond(number * 690 + rand() % 60)";
const INSERTS: Readonly<Record<Table, string>> = {
  function_relay_logs: `(project, function_id, timestamp, execution_time_ms)
    SELECT 'p', toString(number % 5), ${TIMES}, number FROM numbers(1000)`,
  edge_logs: `(project, timestamp, url) SELECT 'p', ${TIMES}, 'https://p.example/rest' FROM numbers(1000)`,
  custom_events: `(timestamp, event_type, event_name, user_id)
    SELECT ${TIMES}, 'url_redirect', toString(number % 7), toString(number % 3) FROM numbers(1000)`,
};

/** What each endpoint counts in all, and a query of the records that says what it should be. */
const COUNTS: readonly (readonly [path: string, column: string, query: string])[] = [
  [
    'functions.invocation-stats?project=p&interval=7day',
    'count',
    "SELECT count() AS n FROM function_relay_logs WHERE timestamp >= '2096-02-23 00:00:00'",
  ],
  [
    'functions.invocation-stats?project=p&interval=7day&function_id=3',
    'count',
    "SELECT count() AS n FROM function_relay_logs WHERE timestamp >= '2096-02-23 00:00:00' AND function_id = '3'",
  ],
  [
    'functions.invocation-stats?project=p&interval=1day',
    'count',
    "SELECT count() AS n FROM function_relay_logs WHERE timestamp >= '2096-02-29 12:00:00'",
  ],
  [
    'functions.invocation-stats?project=p&interval=1hr',
    'count',
    "SELECT count() AS n FROM function_relay_logs WHERE timestamp >= '2096-03-01 11:30:00'",
  ],
  ...['p.example', '^https'].map(
    (project) =>
      [
        `usage.api-counts?project=${project}&interval=daily`,
        'total_rest_requests',
        "SELECT count() AS n FROM edge_logs WHERE timestamp >= '2096-02-23 12:30:00'",
      ] as const,
  ),
  ['get-grouped-stats-redirects', 'total_hits', 'SELECT count() AS n FROM custom_events'],
  ['get-grouped-stats-events-logs', 'total_hits', 'SELECT count() AS n FROM custom_events'],
  [
    'get-grouped-stats-events-logs?event_name=3&start_time=2096-02-27T06:00:00Z',
    'total_hits',
    "SELECT count() AS n FROM custom_events WHERE event_name = '3' AND timestamp >= '2096-02-27 06:00:00'",
  ],
];

let folder: TemporaryFolder;
let server: EmbeddedServer;
let admin: ClickHouseClient;
let reader: ClickHouseClient;
let gateway: TestGateway;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  server = await EmbeddedServer.start({
    dataDir: folder.path,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: () => undefined,
  });
  await migrate({ connection: server.adminConnection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const options = { maxOpenConnections: 8, requestTimeoutMs: 60_000 };
  admin = connectClickHouse(server.adminConnection, options);
  // As it serves: a user that may SELECT from tables, and was never granted anything of a projection.
  reader = connectClickHouse(server.readerConnection, options);
  gateway = await createTestGateway({ clock: () => new Date(NOW) });
  gateway.runQuery.answerWith(createQueryRunner(reader, { timeoutMs: 30_000 }));
}, 60_000);

afterAll(async () => {
  await Promise.all([admin.close(), reader.close()]);
  await server.stop();
  await folder.remove();
}, 60_000);

const run = async (query: string): Promise<void> => {
  await admin.command({ query });
};

async function countRecords(query: string): Promise<number> {
  const result = await admin.query({
    query,
    format: 'JSONEachRow',
    clickhouse_settings: { optimize_use_projections: 0, optimize_trivial_count_query: 0 },
  });
  const [row] = await result.json<{ readonly n: string | number }>();
  return Number(row?.n);
}

async function countOf(path: string, column: string): Promise<number> {
  const { status, text } = await gateway.get(`/api/endpoints/query/${path}`).set('Cache-Control', 'no-cache');
  expect(status).toBe(200);
  const { result } = JSON.parse(text) as { readonly result: readonly Readonly<Record<string, number>>[] };
  return result.reduce((sum, row) => sum + (row[column] ?? NaN), 0);
}

async function expectAgreement(): Promise<void> {
  await settleAll(COUNTS, async ([path, column, query]) => {
    const records = await countRecords(query);
    expect([path, await countOf(path, column)]).toEqual([path, records]);
    expect(records).toBeGreaterThan(0);
  });
}

/** Inserts into a table until told to stop, whether inserts succeed or not. */
function startWriter(table: Table): () => Promise<void> {
  let stopped = false;
  const write = async (): Promise<void> => {
    while (!stopped) await run(`INSERT INTO ${table} ${INSERTS[table]}`).catch(() => undefined);
  };
  const written = write();
  return () => {
    stopped = true;
    return written;
  };
}

const isUp = (): Promise<true | undefined> =>
  admin.ping({ select: true }).then(({ success }) => (success ? true : undefined));

it('the endpoints count what the records are, after kills of ClickHouse in the middle of inserts', async () => {
  const stop = TABLES.map(startWriter);
  for (let kill = 0; kill < 3; kill += 1) {
    const rows = (): Promise<number> => countRecords('SELECT count() AS n FROM custom_events');
    const before = await rows();
    await pollUntil(
      'more records are there',
      async () => ((await rows()) > before ? true : undefined),
      30_000,
    );
    if (server.pid !== undefined) process.kill(server.pid, 'SIGKILL');
    await pollUntil('ClickHouse is back', isUp, 60_000);
  }
  await Promise.all(stop.map((end) => end()));
  await expectAgreement();
}, 180_000);

it('the endpoints count what the records are, after deletes and mutations', async () => {
  await run("DELETE FROM function_relay_logs WHERE function_id = '3' AND execution_time_ms < 500");
  await run("DELETE FROM edge_logs WHERE toDate(timestamp) = '2096-02-28'");
  await run("DELETE FROM custom_events WHERE user_id = '2'");
  await expectAgreement();
  for (const table of TABLES) {
    await run(`ALTER TABLE ${table} DELETE WHERE toHour(timestamp) = 3 SETTINGS mutations_sync = 2`);
  }
  await expectAgreement();
}, 120_000);

it('the endpoints count what the records are, after partitions left and came back', async () => {
  const partitions = [
    ['function_relay_logs', '20960228'],
    ['edge_logs', '20960226'],
    ['custom_events', '209602'],
  ] as const;
  for (const [table, partition] of partitions)
    await run(`ALTER TABLE ${table} DETACH PARTITION ID '${partition}'`);
  await settleAll(COUNTS, async ([path, column, query]) => {
    expect([path, await countOf(path, column)]).toEqual([path, await countRecords(query)]);
  });
  for (const [table, partition] of partitions)
    await run(`ALTER TABLE ${table} ATTACH PARTITION ID '${partition}'`);
  for (const table of TABLES) await run(`INSERT INTO ${table} ${INSERTS[table]}`);
  await expectAgreement();
  for (const table of TABLES) await run(`OPTIMIZE TABLE ${table} FINAL`);
  await expectAgreement();
}, 120_000);
