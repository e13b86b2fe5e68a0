import type { ClickHouseClient } from '@clickhouse/client';
import { buffer } from 'node:stream/consumers';

import { summarise } from '../latency.js';

/** What rollups and indices cost a table when rows come in; times in milliseconds. */
export interface InsertCost {
  readonly table: string;
  readonly rows: number;
  /** Median of an insert of NDJSON over HTTP, as log shippers send it. */
  readonly ndjson: number;
  readonly ndjsonPlain: number;
  /** Median of an INSERT … SELECT of the same rows, where nothing has to be parsed. */
  readonly select: number;
  readonly selectPlain: number;
}

const ROWS = 200_000;

/**
 * Inserts the newest rows, as they would arrive together, into a table with all that hangs on it and into its plain twin, in turn, each emptied before.
 *
 * @param source has the rows; `database` and `plain` hold the two tables.
 */
export async function measureInserts(
  client: ClickHouseClient,
  { source, database, plain }: { readonly source: string; readonly database: string; readonly plain: string },
  table: string,
  rounds: number,
): Promise<InsertCost> {
  const staged = `${plain}.staged_${table}`;
  await client.command({
    query: `
      CREATE TABLE ${staged} ENGINE = Memory AS SELECT * FROM ${source}.${table}
      WHERE toDate32(timestamp) = (SELECT toDate32(max(timestamp)) FROM ${source}.${table})
      ORDER BY timestamp DESC LIMIT ${ROWS}`,
  });
  const { stream } = await client.exec({ query: `SELECT * FROM ${staged} FORMAT JSONEachRow` });
  const lines = await buffer(stream);
  const ways = [`${database}.${table}`, `${plain}.${table}`].flatMap((target) => [
    { target, run: () => client.command({ query: insertLines(target, lines) }) },
    { target, run: () => client.command({ query: `INSERT INTO ${target} SELECT * FROM ${staged}` }) },
  ]);
  const samples = ways.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, { target, run }] of ways.entries()) {
      await client.command({ query: `TRUNCATE TABLE ${target}` });
      const started = performance.now();
      await run();
      if (round >= 0) samples[index]?.push(performance.now() - started);
    }
  }
  await client.command({ query: `DROP TABLE ${staged} SYNC` });
  const [ndjson = NaN, select = NaN, ndjsonPlain = NaN, selectPlain = NaN] = samples.map(
    (each) => summarise(each).median,
  );
  return { table, rows: ROWS, ndjson, select, ndjsonPlain, selectPlain };
}

const insertLines = (target: string, lines: Buffer): string =>
  `INSERT INTO ${target} FORMAT JSONEachRow\n${lines.toString()}`;

/** Bytes on disk of a table with its rollups, and of its plain twin. */
export interface DiskUse {
  readonly table: string;
  readonly bytes: number;
  readonly rollupBytes: number;
  readonly plainBytes: number;
}

const ROLLUPS: Readonly<Record<string, string>> = {
  edge_logs: '^edge_request_',
  function_relay_logs: '^function_relay_(minutes|hours|days)$',
  custom_events: '^(custom_event_days|redirect_days)$',
};

export async function measureDisk(
  client: ClickHouseClient,
  { database, plain }: { readonly database: string; readonly plain: string },
  table: string,
): Promise<DiskUse> {
  const result = await client.query({
    query: `
      SELECT
        sumIf(bytes_on_disk, database = {database:String} AND table = {table:String}),
        sumIf(bytes_on_disk, database = {database:String} AND match(table, {rollups:String})),
        sumIf(bytes_on_disk, database = {plain:String} AND table = {table:String})
      FROM system.parts WHERE active`,
    query_params: { database, plain, table, rollups: ROLLUPS[table] ?? '^$' },
    format: 'JSONCompactEachRow',
  });
  const [figures = []] = await result.json<(string | number)[]>();
  const [bytes = NaN, rollupBytes = NaN, plainBytes = NaN] = figures.map(Number);
  return { table, bytes, rollupBytes, plainBytes };
}
