import type { ClickHouseClient } from '@clickhouse/client';

import { explainRejections } from './explain-rejections.js';
import type { Row } from './row.js';
import { BatchFailure } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import type { Batch } from './read-batches.js';
import { readRows, type RowsQuery } from './read-rows.js';
import { timeOutOfRange } from './rejection-reasons.js';
import type { TargetTable } from './target-table.js';
import { isInRange, microsecondsOf } from './time-column.js';

/** A row that ClickHouse can read. */
export interface TimedRow extends Row {
  /** The time, after the shift, in microseconds since 1970; undefined without one. */
  readonly micros: bigint | undefined;
  /** Whether the table's TTL deletes the row. */
  readonly isExpired: boolean;
}

/** A batch whose every row ClickHouse has read or rejected. */
export interface CheckedBatch {
  readonly rows: readonly TimedRow[];
  /** In line order. */
  readonly rejected: readonly RejectedLine[];
  readonly unknownFields: ReadonlyMap<string, number>;
  readonly lastLine: number;
}

/** The query that reads rows for `timeRows`, with times shifted by microseconds. */
export function rowsQuery(client: ClickHouseClient, table: TargetTable, shift = 0n): RowsQuery {
  const expressions = [table.time ? microsecondsOf(table.time) : 'NULL', table.ttl?.isExpired ?? '0'];
  return { client, shape: table, expressions, shift };
}

/** The rows that ClickHouse can read; the others are omitted. */
export async function timeRows(query: RowsQuery, rows: readonly Row[]): Promise<TimedRow[]> {
  const valuesByLine = await readRows(query, rows);
  return rows.flatMap((row) => {
    const values = valuesByLine.get(row.line);
    if (!values) return [];
    const [micros, isExpired] = values as [string | null, number];
    return [{ ...row, micros: micros === null ? undefined : BigInt(micros), isExpired: isExpired === 1 }];
  });
}

/**
 * Separates a batch into insertable rows, with times shifted by `shift` microseconds, and rejected lines.
 *
 * @throws BatchFailure when ClickHouse fails for a reason other than a row.
 */
export async function checkBatch(
  client: ClickHouseClient,
  table: TargetTable,
  { rows, rejected, unknownFields, lastLine }: Batch,
  shift: bigint,
): Promise<CheckedBatch> {
  try {
    const query = rowsQuery(client, table, shift);
    const timed = await timeRows(query, rows);
    const read = new Set(timed.map((row) => row.line));
    const unread = rows.filter((row) => !read.has(row.line));
    const rejections = [...rejected, ...(await explainRejections(query, unread))];
    const storable: TimedRow[] = [];
    for (const row of timed) {
      const reason = reasonOutOfRange(table, row, shift);
      if (reason === undefined) storable.push(row);
      else rejections.push({ line: row.line, reason });
    }
    rejections.sort((a, b) => a.line - b.line);
    return { rows: storable, rejected: rejections, unknownFields, lastLine };
  } catch (cause) {
    throw new BatchFailure(lastLine, false, cause);
  }
}

function reasonOutOfRange({ time }: TargetTable, { micros }: TimedRow, shift: bigint): string | undefined {
  if (!time || micros === undefined) return undefined;
  if (!isInRange(time, micros - shift)) return timeOutOfRange(time);
  return isInRange(time, micros) ? undefined : timeOutOfRange(time, true);
}
