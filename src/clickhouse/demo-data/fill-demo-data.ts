import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { DEMO_FOLDER } from '../../project-files.js';

const SETTINGS: ClickHouseSettings = {
  // A partition is a day, and a table gets up to thirty in one insert.
  max_partitions_per_insert_block: '0',
  // Smaller blocks take half the memory, and the edge logs come day by day, so hardly more parts.
  max_block_size: '32768',
  min_insert_block_size_rows: '32768',
  // Compiling expressions to machine code takes longer than it saves on so few rows.
  compile_expressions: 0,
};

/** A file of `demo/`, which fills the table in its name: `01_edge_logs.sql`. */
interface Fill {
  readonly table: string;
  readonly query: string;
}

/**
 * Fills the tables with demonstration data up to now by the SQL files of `demo/`, if all of them are empty. The same now
 * gives the same rows.
 *
 * @param client its default database holds the tables.
 * @returns whether it filled them.
 */
export async function fillDemoData(client: ClickHouseClient, now: Date): Promise<boolean> {
  const fills = await readFills();
  if (!(await areAllEmpty(client, fills))) return false;
  // In the order of the files, since a file may read the tables of earlier ones.
  for (const { query } of fills) {
    await client.command({ query, query_params: { now }, clickhouse_settings: SETTINGS });
  }
  return true;
}

async function readFills(): Promise<readonly Fill[]> {
  const files = (await readdir(DEMO_FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      table: file.replace(/^\d+_|\.sql$/g, ''),
      query: await readFile(path.join(DEMO_FOLDER, file), 'utf8'),
    })),
  );
}

async function areAllEmpty(client: ClickHouseClient, fills: readonly Fill[]): Promise<boolean> {
  const anyRow = fills.map(({ table }) => `(SELECT 1 FROM ${table} LIMIT 1)`);
  const result = await client.query({ query: anyRow.join(' UNION ALL '), format: 'JSONEachRow' });
  return (await result.json()).length === 0;
}
