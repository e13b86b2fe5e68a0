import type { ClickHouseClient } from '@clickhouse/client';
import { buffer } from 'node:stream/consumers';

import { summarise } from '../latency.js';

/** What projections and indices cost a table when rows come in; times in milliseconds. */
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
 * Inserts the newest rows, as they would arrive together, into a table with its projections and into its plain twin. Before
 * each insert the table is emptied: else merges would run beside what is measured. The one that begins is the other one in
 * every next round.
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
    for (const [index, { target, run }] of inTurn(ways, round)) {
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

/** With their indices; the last one first in every other round. */
function inTurn<Way>(ways: readonly Way[], round: number): readonly (readonly [number, Way])[] {
  const entries = [...ways.entries()];
  return round % 2 === 0 ? entries : entries.reverse();
}

const insertLines = (target: string, lines: Buffer): string =>
  `INSERT INTO ${target} FORMAT JSONEachRow\n${lines.toString()}`;

/** Bytes on disk of a table, of its projections alone, and of its plain twin. */
export interface DiskUse {
  readonly table: string;
  readonly bytes: number;
  readonly projectionBytes: number;
  readonly plainBytes: number;
}

export async function measureDisk(
  client: ClickHouseClient,
  { database, plain }: { readonly database: string; readonly plain: string },
  table: string,
): Promise<DiskUse> {
  const bytesOf = async (parts: string, of: string): Promise<number> => {
    const result = await client.query({
      query: `
        SELECT sum(bytes_on_disk) FROM system.${parts}
        WHERE active AND database = {database:String} AND table = {table:String}`,
      query_params: { database: of, table },
      format: 'JSONCompactEachRow',
    });
    const [[bytes] = [NaN]] = await result.json<[string | number]>();
    return Number(bytes);
  };
  return {
    table,
    bytes: await bytesOf('parts', database),
    projectionBytes: await bytesOf('projection_parts', database),
    plainBytes: await bytesOf('parts', plain),
  };
}
