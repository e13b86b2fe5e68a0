import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createTestDatabase, variable, type TestDatabase } from '../../support/clickhouse.js';
import { settleAll } from '../../support/settle-all.js';
import { REJECTED } from './attempts.js';

/**
 * Tests the database permissions without the sandbox: SQL that the sandbox rejects runs unchanged as the gateway's
 * read-only user. That user may read the log tables and the request log in the database `logs` completely; only the
 * sandbox separates the projects in them. The user must not be able to read anything else.
 */

const SECRET = 'SECRET-77c0';
const OTHER = `second_${Date.now()}`;
const READER = 'querygate';
/** An attempt that waited for a connection could time out, and would then count as rejected. */
const CONNECTIONS = 4;

let database: TestDatabase;
let reader: ClickHouseClient;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.client.command({ query: `CREATE DATABASE ${OTHER}` });
  for (const name of [database.name, OTHER]) {
    await database.client.command({
      query: `CREATE TABLE ${name}.vault ENGINE = MergeTree ORDER BY () AS SELECT '${SECRET}' AS secret`,
    });
  }
  await database.insert('edge_logs', [{ project: 'other', event_message: SECRET }]);
  reader = connectClickHouse(
    { ...database.connection, username: READER, password: variable('TEST_CLICKHOUSE_READER_PASSWORD') },
    { maxOpenConnections: CONNECTIONS, requestTimeoutMs: 20_000 },
  );
});
afterAll(async () => {
  await reader.close();
  await database.client.command({ query: `DROP DATABASE ${OTHER} SYNC` });
  await database.close();
});

const PARTS =
  "WITH result AS (SELECT 'mine' AS event_message, 1 AS id), edge_source AS (SELECT * FROM result)";

const placed = (sql: string): string => sql.replaceAll('{db}', database.name).replaceAll('{other}', OTHER);

/** Returns the result for the read-only user, or undefined if ClickHouse rejects the query. */
const resultOf = async (query: string): Promise<string | undefined> => {
  try {
    const { stream } = await reader.exec({
      query,
      clickhouse_settings: {
        readonly: '2',
        wait_end_of_query: 1,
        max_execution_time: 5,
        max_memory_usage: '500000000',
      },
    });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
};

const READING = ['another table', 'a table function', 'a subquery in a clause', 'a table to the right of IN'];
const ALL = Object.entries(REJECTED).filter(([what]) => what !== 'a statement over a size limit');

/** A ClickHouse server confines the function file() to a folder; the engine of the tests does not. */
const isConfined = (attempt: string): boolean => !/\bfile\('\/etc|FILE\('\/etc|file\(x\)/.test(attempt);

describe('the grants of the read-only user', () => {
  it.each(ALL)('hide the secrets from %s', async (what, attempts) => {
    let succeeded = 0;
    await settleAll(
      attempts.filter(isConfined),
      async (attempt) => {
        const sql = placed(attempt);
        const query = READING.includes(what) ? `${PARTS} SELECT * FROM (${sql}) LIMIT 10` : sql;
        const result = await resultOf(query);
        if (result !== undefined) succeeded += 1;
        expect(`${sql} => ${result ?? ''}`.replaceAll(sql, '')).not.toContain(SECRET);
      },
      CONNECTIONS,
    );
    process.stdout.write(
      `second wall: ${what}: ${attempts.length} run, ${succeeded} succeeded, none with a secret\n`,
    );
  });

  it.each([
    'SELECT * FROM system.query_log',
    'SELECT * FROM system.processes',
    'SELECT * FROM system.users',
    'SELECT * FROM system.parts',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM INFORMATION_SCHEMA.COLUMNS',
  ])('reject %s', async (sql) => {
    expect(await resultOf(`${sql} LIMIT 1`)).toBeUndefined();
  });

  it('allow no change', async () => {
    const remaining = await database.client.query({
      query: 'SELECT secret FROM vault',
      format: 'JSONEachRow',
    });
    expect(await remaining.json()).toEqual([{ secret: SECRET }]);
  });
});
