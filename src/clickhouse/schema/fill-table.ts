import type { ClickHouseClient } from '@clickhouse/client';
import { randomBytes } from 'node:crypto';

import type { CheckLock } from './migration-lock.js';

/** Rows that a migration adds to a table from those of another one. */
export interface Fill {
  readonly target: string;
  /** Partitioned by day. */
  readonly source: string;
  /** The rows to add for `{day:Date32}`. */
  readonly select: string;
}

/** A day's groups are few enough for the memory of a small server; where they are not, they go to disk. */
const FILL_SETTINGS = { max_bytes_before_external_group_by: '1000000000', max_execution_time: 0 };

/**
 * Fills a table beside the target, names it complete by renaming it, and moves its partitions, each of which is gone
 * from there once it is here: after an interruption what was complete is moved on, and what was not is made anew.
 *
 * The complete table stays, empty, and says that the fill is over: were it dropped here, a process that dies before the
 * file is recorded would begin anew, and count everything twice. A later file of the schema drops it.
 */
export async function fillTable(
  client: ClickHouseClient,
  database: string,
  { target, source, select }: Fill,
  checkLock: CheckLock,
): Promise<void> {
  const filled = `${target}_filled`;
  if ((await tablesLike(client, database, filled)).length === 0) {
    for (const left of await tablesLike(client, database, `${target}_filling_`)) {
      await client.command({ query: `DROP TABLE IF EXISTS ${left} SYNC` });
    }
    // A name of its own: what a process adds that has lost the lock, and goes on, is dropped with its table.
    const filling = `${target}_filling_${randomBytes(6).toString('hex')}`;
    await client.command({ query: `CREATE TABLE ${filling} AS ${target}` });
    await checkLock();
    for (const day of await daysOf(client, database, source)) {
      await client.command({
        query: `INSERT INTO ${filling}\n${select}`,
        query_params: { day },
        clickhouse_settings: FILL_SETTINGS,
      });
    }
    await client.command({ query: `RENAME TABLE ${filling} TO ${filled}` });
  }
  for (const partition of await partitionsOf(client, database, filled)) {
    await client.command({
      query: `ALTER TABLE ${filled} MOVE PARTITION ID {partition:String} TO TABLE ${target}`,
      query_params: { partition },
    });
  }
}

function tablesLike(client: ClickHouseClient, database: string, prefix: string): Promise<readonly string[]> {
  const query =
    'SELECT name FROM system.tables WHERE database = {database:String} AND startsWith(name, {prefix:String})';
  return texts(client, query, { database, prefix });
}

/** The days of a table that is partitioned by them. */
function daysOf(client: ClickHouseClient, database: string, table: string): Promise<readonly string[]> {
  const query = `
    SELECT DISTINCT partition FROM system.parts
    WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition`;
  return texts(client, query, { database, table });
}

function partitionsOf(client: ClickHouseClient, database: string, table: string): Promise<readonly string[]> {
  const query = `
    SELECT DISTINCT partition_id FROM system.parts
    WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition_id`;
  return texts(client, query, { database, table });
}

async function texts(
  client: ClickHouseClient,
  query: string,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const result = await client.query({ query, query_params: parameters, format: 'JSONCompactEachRow' });
  return (await result.json<[string]>()).map(([value]) => value);
}
