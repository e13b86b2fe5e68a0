import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';
import { shifted } from './columns.js';
import { jsonLines, readSettings } from './json-table.js';
import type { Line } from './line-splitter.js';
import type { TargetTable } from './target-table.js';

/**
 * Makes a batch one block. ClickHouse reads all of it before it writes a part per day. Each part is atomic, but a
 * failure between two parts leaves whole days of the batch in the table. Therefore a failed INSERT is never repeated, and
 * equal batches are not deduplicated.
 */
const ONE_BLOCK: ClickHouseSettings = {
  async_insert: 0,
  insert_deduplicate: 0,
  // On a cluster, a batch counts as loaded only when every row is on its shard.
  distributed_foreground_insert: 1,
  max_insert_threads: '1',
  max_threads: 1,
  max_block_size: '1000000',
  max_insert_block_size: '1000000',
  min_insert_block_size_rows: '1000000',
  min_insert_block_size_bytes: '0',
  max_partitions_per_insert_block: '0',
  wait_end_of_query: 1,
};

/** Inserts rows that ClickHouse can read, with times shifted by `shift` microseconds. */
export async function insertBatch(
  client: ClickHouseClient,
  table: TargetTable,
  rows: readonly Line[],
  shift: bigint,
): Promise<void> {
  if (rows.length === 0) return;
  const { time } = table;
  const names = table.columns.map(({ name }) => quoteName(name));
  const values = names.map((name) => (time && name === quoteName(time.name) ? shifted(time, shift) : name));
  const lines = jsonLines(
    table,
    rows.map(({ text }) => text),
  );
  await client.command({
    query: `INSERT INTO ${quoteName(table.name)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${lines}`,
    clickhouse_settings: { ...(await readSettings(client)), ...ONE_BLOCK },
  });
}
