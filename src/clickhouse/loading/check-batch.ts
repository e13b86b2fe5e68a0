import type { ClickHouseClient } from '@clickhouse/client';

import { explainRejections } from './explain-rejections.js';
import type { Row } from './inspect-line.js';
import { BatchFailure } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import type { Batch } from './read-batches.js';
import { readRows } from './read-rows.js';
import { SHIFTED_OUT_OF_RANGE, TIMESTAMP_OUT_OF_RANGE } from './rejection-reasons.js';
import type { TargetTable } from './target-table.js';
import { isInRange } from './timestamp-range.js';

/** A row that ClickHouse can read, with its timestamp in microseconds since 1970. */
export interface TimedRow extends Row {
  readonly micros: bigint;
}

/** A batch whose every row ClickHouse has read or rejected. */
export interface CheckedBatch {
  readonly rows: readonly TimedRow[];
  /** In line order. */
  readonly rejected: readonly RejectedLine[];
  readonly lastLine: number;
}

/** The rows of a batch that ClickHouse can read; the others are omitted. */
export async function timeRows(
  client: ClickHouseClient,
  table: TargetTable,
  batch: Batch,
): Promise<TimedRow[]> {
  const expression = `toUnixTimestamp64Micro(toDateTime64(timestamp, 6, 'UTC'))`;
  const microsByLine = await readRows({ client, columns: table.columns, expression }, batch.rows);
  return batch.rows.flatMap((row) => {
    const micros = microsByLine.get(row.line);
    return micros === undefined ? [] : [{ ...row, micros }];
  });
}

/**
 * Separates a batch into insertable rows, with timestamps shifted by `shift` microseconds, and rejected lines.
 *
 * @throws BatchFailure when ClickHouse fails for a reason other than a row.
 */
export async function checkBatch(
  client: ClickHouseClient,
  table: TargetTable,
  batch: Batch,
  shift: bigint,
): Promise<CheckedBatch> {
  try {
    const timed = await timeRows(client, table, batch);
    const read = new Set(timed.map((row) => row.line));
    const unread = batch.rows.filter((row) => !read.has(row.line));
    const rejected = [...batch.rejected, ...(await explainRejections(client, table, unread))];
    const rows: TimedRow[] = [];
    for (const row of timed) {
      const shifted = row.micros + shift;
      if (isInRange(row.micros) && isInRange(shifted)) rows.push({ ...row, micros: shifted });
      else rejected.push({ line: row.line, reason: outOfRange(row.micros) });
    }
    return { rows, rejected: rejected.sort((a, b) => a.line - b.line), lastLine: batch.lastLine };
  } catch (cause) {
    throw new BatchFailure(batch.lastLine, false, cause);
  }
}

function outOfRange(micros: bigint): string {
  return isInRange(micros) ? SHIFTED_OUT_OF_RANGE : TIMESTAMP_OUT_OF_RANGE;
}
