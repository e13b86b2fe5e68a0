import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';

import { metered, openSource, type ByteSource } from './byte-source.js';
import { checkBatch, type CheckedBatch } from './check-batch.js';
import { decompress } from './decompress.js';
import { findNewest } from './find-newest.js';
import { insertBatch } from './insert-batch.js';
import { inspectLine } from './inspect-line.js';
import type { LoadProgress, LoadReport } from './load-report.js';
import { numberRanges } from './number-range.js';
import { oneAhead } from './one-ahead.js';
import { readBatches, type Batch } from './read-batches.js';
import { Tally } from './tally.js';
import { describeTable, type TargetTable } from './target-table.js';
import { toMicroseconds } from './timestamp-range.js';
import { toLoadError } from './to-load-error.js';

export interface LoadOptions {
  /** Connected to the table's database. Needs INSERT, and CREATE TEMPORARY TABLE for the table function. */
  readonly client: ClickHouseClient;
  readonly table: string;
  /** The path of an NDJSON file, plain or gzip, or `-` for standard input. */
  readonly source: string;
  /** Read if `source` is `-`. */
  readonly stdin: Readable;
  /** Shifts all timestamps by the same time, so that the newest becomes `now`, to the microsecond. */
  readonly shiftToNow: boolean;
  readonly now: Date;
  /** Called after every batch, and for every copied chunk. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called for each rejected line, in line order, with its number from 1. */
  readonly onRejected?: (line: number, reason: string) => void;
}

interface Load {
  readonly options: LoadOptions;
  readonly table: TargetTable;
  readonly source: ByteSource;
  readonly tally: Tally;
}

/**
 * Loads NDJSON into a table as a log shipper's `INSERT … FORMAT JSONEachRow` would, in batches. At most two batches
 * are in memory: one is inserted while ClickHouse checks the next. Lines that ClickHouse cannot read are rejected and
 * reported; every other line is loaded once.
 *
 * ClickHouse alone reads the timestamps, with and without `shiftToNow`. In a string, the number of digits
 * distinguishes seconds, milliseconds, microseconds and nanoseconds since 1970; a JSON number is microseconds.
 *
 * @throws LoadError when the table or the source does not exist, the source is damaged, or ClickHouse becomes
 * unreachable; it states what was loaded before.
 */
export async function loadFile(options: LoadOptions): Promise<LoadReport> {
  const table = await describeTable(options.client, options.table);
  const tally = new Tally(options.now);
  const source = await openSource({
    source: options.source,
    stdin: options.stdin,
    readTwice: options.shiftToNow,
    onCopied: (bytes) => {
      tally.bytes += bytes;
      options.onProgress?.(tally.progress('copying', undefined));
    },
  });
  try {
    const load = { options, table, source, tally };
    if (options.shiftToNow) tally.shiftMicroseconds = await findShift(load);
    for await (const batch of oneAhead(checkedBatches(load))) await insert(load, batch);
    return tally.report();
  } catch (error) {
    throw toLoadError(error, options.source, tally);
  } finally {
    await source.close();
  }
}

async function findShift(load: Load): Promise<bigint> {
  const { options, table, source, tally } = load;
  const { client, now } = options;
  const newest = await findNewest(client, table, oneAhead(batches(load)), () =>
    options.onProgress?.(tally.progress('scanning', source.size)),
  );
  return newest === undefined ? 0n : toMicroseconds(now) - newest;
}

async function* checkedBatches(load: Load): AsyncGenerator<CheckedBatch> {
  const { options, table, tally } = load;
  for await (const batch of batches(load)) {
    yield await checkBatch(options.client, table, batch, tally.shiftMicroseconds);
  }
}

async function insert({ options, table, source, tally }: Load, batch: CheckedBatch): Promise<void> {
  await insertBatch(options.client, table, batch, tally.shiftMicroseconds);
  tally.add(batch);
  for (const { line, reason } of batch.rejected) options.onRejected?.(line, reason);
  options.onProgress?.(tally.progress('loading', source.size));
}

/** The batches of the source, from its start. */
function batches({ table, source, tally }: Load): AsyncGenerator<Batch> {
  tally.bytes = 0;
  const bytes = metered(source.read(), (length) => (tally.bytes += length));
  const ranges = numberRanges(table.columns);
  return readBatches(decompress(bytes), (line) => inspectLine(line, ranges));
}
