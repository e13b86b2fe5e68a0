import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';

import { metered, openSource, type ByteSource } from './byte-source.js';
import { checkBatch, type CheckedBatch } from './check-batch.js';
import { decompress } from './decompress.js';
import { findNewest } from './find-newest.js';
import { insertBatch } from './insert-batch.js';
import { inspectLine, lineRules } from './inspect-line.js';
import { LoadError } from './load-error.js';
import type { LoadProgress, LoadReport } from './load-report.js';
import { oneAhead } from './one-ahead.js';
import { readBatches, type Batch } from './read-batches.js';
import { Tally } from './tally.js';
import { describeTable, type TargetTable } from './target-table.js';
import { toMicroseconds, type TimeColumn } from './time-column.js';
import { toLoadError } from './to-load-error.js';

export interface LoadOptions {
  /** Connected to the table's database. Needs INSERT, and CREATE TEMPORARY TABLE for the table function. */
  readonly client: ClickHouseClient;
  readonly table: string;
  /** The path of an NDJSON file, plain or gzip, or `-` for standard input. */
  readonly source: string;
  /** Read if `source` is `-`. */
  readonly stdin: Readable;
  /** Shifts the column `timestamp` of all lines by the same time, so that the newest becomes `now`, to its precision. */
  readonly shiftToNow: boolean;
  /** Rejects lines with a field that the table does not store, which is otherwise counted and ignored. */
  readonly strict?: boolean;
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
 * @throws LoadError when the table or the source does not exist, the table has no time to shift, the source is damaged, or ClickHouse becomes
 * unreachable; it states what was loaded before.
 */
export async function loadFile(options: LoadOptions): Promise<LoadReport> {
  const table = await describeTable(options.client, options.table);
  const shifted = options.shiftToNow ? withTime(table) : undefined;
  const tally = new Tally(table);
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
    if (shifted) tally.shiftMicroseconds = await findShift(load, shifted);
    for await (const batch of oneAhead(checkedBatches(load))) await insert(load, batch);
    return tally.report();
  } catch (error) {
    throw toLoadError(error, options.source, tally);
  } finally {
    await source.close();
  }
}

type TimedTable = TargetTable & { readonly time: TimeColumn };

function withTime({ time, ...table }: TargetTable): TimedTable {
  if (time) return { ...table, time };
  throw new LoadError(
    `the table ${table.name} has no column timestamp that --shift-to-now can shift: ` +
      'one of the type Date or DateTime that lines can set; load it without --shift-to-now',
  );
}

async function findShift(load: Load, table: TimedTable): Promise<bigint> {
  const { options, source, tally } = load;
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
function batches({ options, table, source, tally }: Load): AsyncGenerator<Batch> {
  tally.bytes = 0;
  const bytes = metered(source.read(), (length) => (tally.bytes += length));
  const rules = lineRules(table, options.strict ?? false);
  return readBatches(decompress(bytes), (line) => inspectLine(line, rules));
}
