import type { ClickHouseClient } from '@clickhouse/client';
import { buffer } from 'node:stream/consumers';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { FILLINGS } from '../data/fill-tables.js';
import { firstRow } from '../measuring/first-row.js';
import { formatCount, formatMegabytes, formatMs, printTable } from '../measuring/print.js';
import { sampleInTurn, timed } from '../measuring/sampling.js';
import { createPlainTable } from './plain-tables.js';
import { REFERENCE } from '../reference-project.js';

/** Databases with the same rows: in the schema's tables, and in plain tables. */
export interface Databases {
  readonly database: string;
  readonly plain: string;
}

const ROWS = 200_000;
const ROUNDS = 7;
/** Databases for inserts, whose tables are emptied repeatedly. */
const SCRATCH: Databases = { database: 'inserts_projected', plain: 'inserts_plain' };

/** Prints what projections and indices cost each table, for inserts and on disk. */
export async function measureWriting(
  client: ClickHouseClient,
  connection: ClickHouseConnection,
  databases: Databases,
): Promise<void> {
  await prepareDatabase(
    { ...connection, database: SCRATCH.database },
    { schemaFolder: REFERENCE.schemaFolder },
  );
  const inserts: string[][] = [];
  const disk: string[][] = [];
  for (const { table } of FILLINGS) {
    await createPlainTable(client, SCRATCH.plain, databases.database, table);
    inserts.push(await measureInserts(client, databases.database, table));
    disk.push(await measureDisk(client, databases, table));
  }
  printTable(
    ['insert into', 'rows', 'NDJSON', 'INSERT SELECT', 'plain, NDJSON', 'plain, INSERT SELECT'],
    inserts,
  );
  printTable(['on disk', 'table', 'of these, projections', 'plain', 'times'], disk);
  for (const each of Object.values(SCRATCH)) {
    await client.command({ query: `DROP DATABASE ${each} SYNC` });
  }
}

/**
 * Inserts the newest rows in one batch: as NDJSON over HTTP, as log shippers do, and as INSERT … SELECT, which parses
 * nothing. Empties the table before each insert, because otherwise merges would run during the measurement.
 */
async function measureInserts(client: ClickHouseClient, source: string, table: string): Promise<string[]> {
  const staged = `${SCRATCH.plain}.staged_${table}`;
  await client.command({
    query: `
      CREATE TABLE ${staged} ENGINE = Memory AS SELECT * FROM ${source}.${table}
      WHERE toDate32(timestamp) = (SELECT toDate32(max(timestamp)) FROM ${source}.${table})
      ORDER BY timestamp DESC LIMIT ${ROWS}`,
  });
  const { stream } = await client.exec({ query: `SELECT * FROM ${staged} FORMAT JSONEachRow` });
  const lines = (await buffer(stream)).toString();
  const variants = Object.values(SCRATCH).flatMap((database) => {
    const target = `${database}.${table}`;
    const statements = [`FORMAT JSONEachRow\n${lines}`, `SELECT * FROM ${staged}`];
    return statements.map((statement) => async (): Promise<number> => {
      await client.command({ query: `TRUNCATE TABLE ${target}` });
      return timed(() => client.command({ query: `INSERT INTO ${target} ${statement}` }));
    });
  });
  const latencies = await sampleInTurn(ROUNDS, variants);
  const [rows] = await firstRow(client, `SELECT count() FROM ${staged}`);
  await client.command({ query: `DROP TABLE ${staged} SYNC` });
  return [table, formatCount(Number(rows)), ...latencies.map(({ median }) => formatMs(median))];
}

async function measureDisk(
  client: ClickHouseClient,
  { database, plain }: Databases,
  table: string,
): Promise<string[]> {
  const bytesOf = async (parts: string, of: string): Promise<number> => {
    const [bytes] = await firstRow(
      client,
      `SELECT sum(bytes_on_disk) FROM system.${parts}
       WHERE active AND database = {database:String} AND table = {table:String}`,
      { database: of, table },
    );
    return Number(bytes);
  };
  const [bytes, plainBytes] = [await bytesOf('parts', database), await bytesOf('parts', plain)];
  const projections = await bytesOf('projection_parts', database);
  return [table, ...[bytes, projections, plainBytes].map(formatMegabytes), (bytes / plainBytes).toFixed(2)];
}
