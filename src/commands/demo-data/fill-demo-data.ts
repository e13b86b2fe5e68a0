import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { ifPresent } from '../../files/if-present.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { SchemaFileError } from '../../gateway/schema/schema-file-error.js';

const SETTINGS: ClickHouseSettings = {
  // A partition is a day, and one insert fills up to thirty days of a table.
  max_partitions_per_insert_block: '0',
  // Smaller blocks halve the memory; the edge logs are sorted by day, so the number of parts hardly grows.
  max_block_size: '32768',
  min_insert_block_size_rows: '32768',
  // Compiling expressions takes longer than it saves on so few rows.
  compile_expressions: 0,
};

/** A file of the demonstration data and the table that it fills, after its name: `01_TABLE.sql`. */
interface Fill {
  /** Path in messages: `demo/01_TABLE.sql`. */
  readonly file: string;
  readonly table: string;
  readonly query: string;
}

/**
 * Fills the tables with demonstration data up to `now`, by the SQL files of a folder, if all tables are empty.
 * Deterministic: the same `now` yields the same rows.
 *
 * @param client client whose default database contains the tables.
 * @param folder folder of the SQL files; without files, there is no demonstration data.
 * @returns whether the tables were filled.
 */
export async function fillDemoData(client: ClickHouseClient, folder: string, now: Date): Promise<boolean> {
  const fills = await readFills(folder);
  if (fills.length === 0 || !(await areAllEmpty(client, fills))) return false;
  // The files run in order, because a file may read the tables of earlier files.
  for (const { file, query } of fills) {
    await client
      .command({ query, query_params: { now }, clickhouse_settings: SETTINGS })
      .catch((cause: unknown) => {
        throw new SchemaFileError(`${file}: ${(cause as Error).message.trim()}`, { cause });
      });
  }
  return true;
}

async function readFills(folder: string): Promise<readonly Fill[]> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  const files = names.filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      file: path.join(path.basename(folder), file),
      table: file.replace(/^\d+_|\.sql$/g, ''),
      query: await readFile(path.join(folder, file), 'utf8'),
    })),
  );
}

async function areAllEmpty(client: ClickHouseClient, fills: readonly Fill[]): Promise<boolean> {
  const anyRow = fills.map(({ table }) => `(SELECT 1 FROM ${table} LIMIT 1)`);
  return (await selectRows(client, anyRow.join(' UNION ALL '))).length === 0;
}
