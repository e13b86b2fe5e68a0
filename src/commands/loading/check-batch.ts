import type { ClickHouseClient } from '@clickhouse/client';

import { microsecondsOf, reasonOutOfRange } from './columns.js';
import { explainRejections } from './explain-rejections.js';
import { rejectedRow, type Line } from './line-splitter.js';
import type { Batch } from './read-batches.js';
import type { RowsQuery } from './read-rows.js';
import { readUnchanged } from './read-unchanged.js';
import type { TargetTable } from './target-table.js';

/** A batch of rows that ClickHouse can read, and the rejected lines in line order. */
export interface CheckedBatch extends Batch {
  /** Number of rows that the table's TTL deletes. */
  readonly expired: number;
}

/** Separates a batch into insertable rows, with times shifted by `shift` microseconds, and rejected lines. */
export async function checkBatch(
  client: ClickHouseClient,
  table: TargetTable,
  batch: Batch,
  shift: bigint,
): Promise<CheckedBatch> {
  const query = rowsQuery(client, table, shift);
  const read = await readUnchanged(query, batch.rows);
  const unread = batch.rows.filter((row) => !read.has(row));
  const rejected = [...batch.rejected, ...(await explainRejections(query, unread))];
  const rows: Line[] = [];
  let expired = 0;
  for (const row of batch.rows) {
    const found = read.get(row);
    if (!found) continue;
    const [micros, isExpired] = found.values;
    const reason =
      found.change?.reason ?? (shift === 0n ? undefined : reasonOutOfRange(table.time, microsOf(micros)));
    if (reason === undefined) {
      rows.push(row);
      expired += Number(isExpired);
    } else rejected.push(rejectedRow(row, reason));
  }
  rejected.sort((a, b) => a.line - b.line || (a.object ?? 0) - (b.object ?? 0));
  return { ...batch, rows, rejected, expired };
}

/** The newest time among the rows that can be loaded, in microseconds since 1970; undefined without one. */
export async function newestOf(
  client: ClickHouseClient,
  table: TargetTable,
  rows: readonly Line[],
): Promise<bigint | undefined> {
  const read = await readUnchanged(rowsQuery(client, table, 0n), rows);
  return [...read.values()]
    .filter(({ change }) => change === undefined)
    .map(({ values: [micros] }) => microsOf(micros))
    .reduce(later, undefined);
}

/** The later of two times. */
export function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function rowsQuery(client: ClickHouseClient, table: TargetTable, shift: bigint): RowsQuery {
  const expressions = [table.time ? microsecondsOf(table.time) : 'NULL', table.ttl?.isExpired ?? '0'];
  return { client, shape: table, expressions, shift };
}

/** The time, after the shift, in microseconds since 1970; undefined without one. */
function microsOf(micros: unknown): bigint | undefined {
  return typeof micros === 'string' ? BigInt(micros) : undefined;
}
