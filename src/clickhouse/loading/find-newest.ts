import type { ClickHouseClient } from '@clickhouse/client';

import { timeRows, type TimedRow } from './check-batch.js';
import { BatchFailure, InputFailure } from './load-error.js';
import type { Batch } from './read-batches.js';
import type { TargetTable } from './target-table.js';
import { isInRange } from './timestamp-range.js';

/**
 * The newest timestamp, in microseconds since 1970, of the rows that will be loaded: a line that is refused, for
 * whatever reason, does not count. Undefined where there is no such row. Input that is damaged counts as far as it goes.
 *
 * @throws BatchFailure
 */
export async function findNewest(
  client: ClickHouseClient,
  table: TargetTable,
  batches: AsyncIterable<Batch>,
  onBatch: () => void,
): Promise<bigint | undefined> {
  let newest: bigint | undefined;
  try {
    for await (const batch of batches) {
      for (const { micros } of await timed(client, table, batch)) {
        if (isInRange(micros) && (newest === undefined || micros > newest)) newest = micros;
      }
      onBatch();
    }
  } catch (error) {
    // The load itself will come to the same place, and tell.
    if (!(error instanceof InputFailure)) throw error;
  }
  return newest;
}

async function timed(client: ClickHouseClient, table: TargetTable, batch: Batch): Promise<TimedRow[]> {
  try {
    return await timeRows(client, table, batch);
  } catch (cause) {
    throw new BatchFailure(batch.lastLine, false, cause);
  }
}
