import type { ClickHouseClient } from '@clickhouse/client';

import { rowsQuery, timeRows, type TimedRow } from './check-batch.js';
import { BatchFailure, InputFailure } from './load-error.js';
import type { Batch } from './read-batches.js';
import type { TargetTable } from './target-table.js';
import { isInRange, type TimeColumn } from './time-column.js';

/**
 * Finds the newest timestamp of the rows that will be loaded, in microseconds since 1970. Rejected lines do not
 * count; undefined without rows. Damaged input counts up to the damage.
 *
 * @throws BatchFailure
 */
export async function findNewest(
  client: ClickHouseClient,
  table: TargetTable & { readonly time: TimeColumn },
  batches: AsyncIterable<Batch>,
  onBatch: () => void,
): Promise<bigint | undefined> {
  let newest: bigint | undefined;
  try {
    for await (const batch of batches) {
      for (const { micros } of await timed(client, table, batch)) {
        if (
          micros !== undefined &&
          isInRange(table.time, micros) &&
          (newest === undefined || micros > newest)
        )
          newest = micros;
      }
      onBatch();
    }
  } catch (error) {
    // The load will reach the same damage and report it.
    if (!(error instanceof InputFailure)) throw error;
  }
  return newest;
}

async function timed(client: ClickHouseClient, table: TargetTable, batch: Batch): Promise<TimedRow[]> {
  try {
    return await timeRows(rowsQuery(client, table), batch.rows);
  } catch (cause) {
    throw new BatchFailure(batch.lastLine, false, cause);
  }
}
