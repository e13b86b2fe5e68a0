import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { pollUntil } from '../support/poll-until.js';
import { settleAll } from '../support/settle-all.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { openGateway, PROJECTIONS_OFF, type Request } from './beside-projections-off.js';
import { INSERTS, REQUESTS, TABLES, type Table } from './requests-of-projections.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';
import { REFERENCE } from '../support/reference-project.js';

let folder: TemporaryFolder;
let server: EmbeddedServer;
let admin: QueryClient;
let reader: QueryClient;
let request: Request;
let requestOfRecords: Request;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  server = await EmbeddedServer.start({
    dataDir: folder.path,
    database: 'logs',
    grants: REFERENCE_GRANTS,
    onCrash: () => undefined,
  });
  await migrate({ connection: server.adminConnection, schema: await readSchema(REFERENCE.schemaFolder) });
  const options = { maxOpenConnections: 8, requestTimeoutMs: 60_000 };
  admin = connectClickHouse(server.adminConnection, options);
  // The gateway's own user: it may SELECT from tables, and has no grants on projections.
  reader = connectClickHouse(server.readerConnection, options);
  request = await openGateway(reader);
  requestOfRecords = await openGateway(reader, PROJECTIONS_OFF);
}, 120_000);

afterAll(async () => {
  await Promise.all([admin.close(), reader.close()]);
  await server.stop();
  await folder.remove();
}, 120_000);

const run = async (query: string): Promise<void> => {
  await admin.command({ query });
};

const insert = (table: Table): Promise<void> => run(INSERTS[table]);

async function rowsOf<T>(query: string): Promise<readonly T[]> {
  const result = await admin.query({ query, format: 'JSONEachRow', clickhouse_settings: PROJECTIONS_OFF });
  return result.json<T>();
}

async function count(records: string): Promise<number> {
  const [row] = await rowsOf<{ readonly n: string | number }>(`SELECT count() AS n FROM ${records}`);
  return Number(row?.n);
}

/** Expects that each response comes from its projection, equals the result of the records, and counts all of them. */
async function expectAgreement(): Promise<void> {
  await settleAll(REQUESTS, async (each) => {
    const { path: of, reads, total } = each;
    const { rows, sources } = await request(each);
    if (reads) expect({ of, sources: await sources() }).toEqual({ of, sources: reads });
    expect({ of, rows }).toEqual({ of, rows: (await requestOfRecords(each)).rows });
    expect(rows).not.toEqual([]);
    if (!total) return;
    const { column, records } = total;
    const sum = rows.reduce((before, row) => before + Number(row[column]), 0);
    expect({ of, sum }).toEqual({ of, sum: await count(records) });
  });
}

/** Inserts into a table until the writer is stopped, whether inserts succeed or not. */
function startWriter(table: Table): () => Promise<void> {
  let stopped = false;
  const write = async (): Promise<void> => {
    while (!stopped) await insert(table).catch(() => undefined);
  };
  const written = write();
  return () => {
    stopped = true;
    return written;
  };
}

async function killServer(): Promise<void> {
  if (server.pid !== undefined) process.kill(server.pid, 'SIGKILL');
  const isUp = async (): Promise<true | undefined> =>
    (await admin.ping({ select: true })).success ? true : undefined;
  await pollUntil('ClickHouse responds again', isUp, 60_000);
}

it('endpoints match the records after ClickHouse is killed during inserts', async () => {
  const stop = TABLES.map(startWriter);
  for (const table of TABLES) {
    const before = await count(table);
    const hasMore = async (): Promise<true | undefined> => ((await count(table)) > before ? true : undefined);
    await pollUntil(`there are more records in ${table}`, hasMore, 30_000);
    await killServer();
  }
  await Promise.all(stop.map((end) => end()));
  await expectAgreement();
}, 180_000);

it('the expected rows are read from the tables only', async () => {
  await settleAll(REQUESTS, async (each) => {
    const { sources } = await requestOfRecords(each);
    expect(TABLES).toEqual(expect.arrayContaining([...(await sources())]));
  });
});

it('endpoints match the records after deletes, and after a kill during mutations', async () => {
  await run("DELETE FROM function_relay_logs WHERE function_id = '3' AND execution_time_ms < 5000");
  await run("DELETE FROM edge_logs WHERE toDate(timestamp) = '2096-02-28'");
  await run("DELETE FROM custom_events WHERE user_id = '2'");
  await expectAgreement();
  for (const table of TABLES) {
    await run(`ALTER TABLE ${table} DELETE WHERE toHour(timestamp) = 3 SETTINGS mutations_sync = 0`);
  }
  await killServer();
  const areDone = async (): Promise<true | undefined> =>
    (await count('system.mutations WHERE NOT is_done')) === 0 ? true : undefined;
  await pollUntil('mutations are done', areDone, 60_000);
  for (const table of TABLES) expect(await count(`${table} WHERE toHour(timestamp) = 3`)).toBe(0);
  await expectAgreement();
}, 120_000);

it('endpoints match the records after partitions were detached and attached', async () => {
  const partitions = [
    ['function_relay_logs', '20960228'],
    ['edge_logs', '20960226'],
    ['custom_events', '209603'],
  ] as const;
  for (const [table, id] of partitions) await run(`ALTER TABLE ${table} DETACH PARTITION ID '${id}'`);
  await expectAgreement();
  for (const [table, id] of partitions) await run(`ALTER TABLE ${table} ATTACH PARTITION ID '${id}'`);
  await expectAgreement();
}, 120_000);

/** Attaches the parts of a table's frozen copy, as the manual describes. */
async function restore(table: Table, copy: string): Promise<void> {
  const [row] = await rowsOf<{ readonly home: string }>(
    `SELECT data_paths[1] AS home FROM system.tables WHERE database = 'logs' AND name = '${table}'`,
  );
  const { home = '' } = row ?? {};
  const data = path.join(folder.path, 'clickhouse', 'data');
  const frozen = path.join(data, 'shadow', copy, path.relative(data, home));
  await cp(frozen, path.join(home, 'detached'), { recursive: true });
  const partitions = new Set((await readdir(frozen)).map((part) => part.replace(/_.*/, '')));
  for (const id of partitions) await run(`ALTER TABLE ${table} ATTACH PARTITION ID '${id}'`);
}

it('endpoints match the records after a frozen copy was restored, and after merges', async () => {
  for (const table of TABLES) await run(`ALTER TABLE ${table} FREEZE WITH NAME 'copy'`);
  const saved = await Promise.all(TABLES.map(count));
  for (const table of TABLES) await run(`TRUNCATE TABLE ${table}`);
  expect(await Promise.all(TABLES.map(count))).toEqual([0, 0, 0]);
  for (const table of TABLES) await restore(table, 'copy');
  expect(await Promise.all(TABLES.map(count))).toEqual(saved);
  await expectAgreement();

  for (const table of TABLES) await insert(table);
  for (const table of TABLES) await run(`OPTIMIZE TABLE ${table} FINAL`);
  await expectAgreement();
}, 120_000);
