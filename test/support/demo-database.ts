import type { ClickHouseClient } from '@clickhouse/client';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { RECORD_TABLE } from '../../src/gateway/schema/migration-files.js';
import { adminConnection, connectAsAdmin, createTestDatabase, type TestDatabase } from './clickhouse.js';
import { pollUntil } from './poll-until.js';
import { REFERENCE } from './reference-project.js';

const NAME = 'demo';
/** Lock database, created by the test file that fills `demo`; its table records the newest time of the demo data. */
const LOCK = 'demo_lock';

/** The run's demo data, which every file may read and none may change. */
export interface DemoDatabase {
  readonly connection: ClickHouseConnection;
  /** Newest time in the data. */
  readonly now: Date;
}

/** Returns the database with the demo data; the first file of a run that needs it fills it. */
export async function demoDatabase(): Promise<DemoDatabase> {
  const connection = adminConnection(NAME);
  const client = connectAsAdmin();
  try {
    const now = await pollUntil(
      'the demo data is loaded',
      async () => (await filledUpTo(client)) ?? ((await lock(client)) ? fill(client, connection) : undefined),
      90_000,
    );
    return { connection, now };
  } finally {
    await client.close();
  }
}

/** Creates a copy of the demo data that a file may change. */
export async function copyOfDemoDatabase(): Promise<TestDatabase> {
  await demoDatabase();
  const copy = await createTestDatabase();
  for (const table of await readTables(copy.client)) {
    // ClickHouse shares the parts and copies nothing.
    await copy.client.command({ query: `ALTER TABLE ${table} ATTACH PARTITION ALL FROM ${NAME}.${table}` });
  }
  return copy;
}

/** Returns a gateway's environment variables for a database. */
export function variablesOf(connection: ClickHouseConnection): Readonly<Record<string, string>> {
  return {
    CLICKHOUSE_URL: connection.url,
    CLICKHOUSE_USER: connection.username,
    CLICKHOUSE_PASSWORD: connection.password,
    CLICKHOUSE_DATABASE: connection.database,
  };
}

async function readTables(client: ClickHouseClient): Promise<readonly string[]> {
  const result = await client.query({
    query: `SELECT name FROM system.tables
            WHERE database = {database:String} AND engine LIKE '%MergeTree' AND name != {record:String}`,
    query_params: { database: NAME, record: RECORD_TABLE },
    format: 'JSONEachRow',
  });
  return (await result.json<{ readonly name: string }>()).map(({ name }) => name);
}

async function filledUpTo(client: ClickHouseClient): Promise<Date | undefined> {
  const found = await client.query({ query: `EXISTS TABLE ${LOCK}.filled`, format: 'JSONEachRow' });
  const [exists] = await found.json<{ readonly result: number }>();
  if (exists?.result !== 1) return undefined;
  const filled = await client.query({ query: `SELECT now FROM ${LOCK}.filled`, format: 'JSONEachRow' });
  const [row] = await filled.json<{ readonly now: string }>();
  return row && new Date(row.now);
}

/** Resolves to true for the first file that calls it. */
const lock = (client: ClickHouseClient): Promise<boolean> =>
  client.command({ query: `CREATE DATABASE ${LOCK}` }).then(
    () => true,
    () => false,
  );

async function fill(client: ClickHouseClient, connection: ClickHouseConnection): Promise<Date> {
  const now = new Date();
  try {
    await prepareDatabase(connection, {
      schemaFolder: REFERENCE.schemaFolder,
      demo: { folder: REFERENCE.demoFolder, upTo: now },
    });
    // The request log has no demo data: the gateway fills it during use.
    await client.command({
      query: `INSERT INTO ${NAME}.gateway_requests (timestamp, request_id, endpoint, key_name, cache) VALUES (now(), 'demo', 'logs.all', 'demo', 'MISS')`,
    });
    await client.command({
      query: `CREATE TABLE ${LOCK}.filled ENGINE = MergeTree ORDER BY now AS SELECT {now:String} AS now`,
      query_params: { now: now.toISOString() },
    });
    return now;
  } catch (cause) {
    await client.command({ query: `DROP DATABASE ${LOCK} SYNC` });
    throw cause;
  }
}
