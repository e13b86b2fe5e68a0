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
 * Inserts the newest rows, as they would arrive together, into a table with all that hangs on it and into its plain twin.
 * Before each insert the table is emptied, and so are its rollups: else they would grow from round to round, and merges
 * of theirs would run beside what is measured. The one that begins is the other one in every next round.
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
  const rollups = await rollupsOf(client, database, table);
  const ways = [
    { target: `${database}.${table}`, emptied: [`${database}.${table}`, ...rollups] },
    { target: `${plain}.${table}`, emptied: [`${plain}.${table}`] },
  ].flatMap(({ target, emptied }) => [
    { emptied, run: () => client.command({ query: insertLines(target, lines) }) },
    { emptied, run: () => client.command({ query: `INSERT INTO ${target} SELECT * FROM ${staged}` }) },
  ]);
  const samples = ways.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, { emptied, run }] of inTurn(ways, round)) {
      for (const each of emptied) await client.command({ query: `TRUNCATE TABLE ${each}` });
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

/** With their indices; the last one first in every other round. */
function inTurn<Way>(ways: readonly Way[], round: number): readonly (readonly [number, Way])[] {
  const entries = [...ways.entries()];
  return round % 2 === 0 ? entries : entries.reverse();
}

/** What its views write into. */
async function rollupsOf(
  client: ClickHouseClient,
  database: string,
  table: string,
): Promise<readonly string[]> {
  const result = await client.query({
    query: `
      SELECT name FROM system.tables
      WHERE database = {database:String} AND engine LIKE '%MergeTree' AND match(name, {rollups:String})`,
    query_params: { database, rollups: rollupPattern(table) },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ readonly name: string }>();
  return rows.map(({ name }) => `${database}.${name}`);
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

const rollupPattern = (table: string): string => ROLLUPS[table] ?? '^$';

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
    query_params: { database, plain, table, rollups: rollupPattern(table) },
    format: 'JSONCompactEachRow',
  });
  const [figures = []] = await result.json<(string | number)[]>();
  const [bytes = NaN, rollupBytes = NaN, plainBytes = NaN] = figures.map(Number);
  return { table, bytes, rollupBytes, plainBytes };
}
