import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';

import { checkBatch, type CheckedBatch } from './check-batch.js';
import { decompress } from './decompress.js';
import { findNewest } from './find-newest.js';
import { insertBatch } from './insert-batch.js';
import { inspectLine, lineRules } from './inspect-line.js';
import { lineReader } from './line-reader.js';
import { LoadError } from './load-error.js';
import type { LoadProgress, LoadReport } from './load-report.js';
import { oneAhead } from './one-ahead.js';
import { metered, openSource, type ByteSource } from './open-source.js';
import { readBatches, type Batch, type BatchLimits } from './read-batches.js';
import type { SourceFormat } from './source-format.js';
import { Tally } from './tally.js';
import { describeTable, type TargetTable } from './target-table.js';
import { toMicroseconds, type TimeColumn } from './time-column.js';
import { toLoadError } from './to-load-error.js';

export interface LoadOptions {
  /** Connected to the table's database. Needs INSERT, and CREATE TEMPORARY TABLE for the table function. */
  readonly client: ClickHouseClient;
  readonly table: string;
  /** A file's path, plain or gzip, or `-` for standard input. */
  readonly source: string;
  readonly format?: SourceFormat;
  /** Read if `source` is `-`. */
  readonly stdin: Readable;
  /** Shifts the column `timestamp` of all lines by the same time, so that the newest becomes `now`, to its precision. */
  readonly shiftToNow: boolean;
  /** Rejects lines with a field that the table does not store, which is otherwise counted and ignored. */
  readonly strict?: boolean;
  /** Creates the table, which does not exist yet, for a sample of the lines: the first ones that are valid. */
  readonly createTable?: (sample: readonly string[]) => Promise<void>;
  readonly now: Date;
  /** Called after every batch, and for every copied chunk. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called for each rejected line, in line order, with its number from 1. */
  readonly onRejected?: (line: number, reason: string) => void;
}

/** Enough lines for types that hold for the rest, few enough for one query. */
const SAMPLE: BatchLimits = { bytes: 16_000_000, lines: 100_000 };

interface Load {
  readonly options: LoadOptions;
  readonly table: TargetTable;
  readonly source: ByteSource;
  readonly tally: Tally;
}

/**
 * Loads NDJSON into a table as a log shipper's `INSERT … FORMAT JSONEachRow` would, in batches; records of CSV as lines of
 * NDJSON. At most two batches are in memory: one is inserted while ClickHouse checks the next. Lines that ClickHouse cannot
 * read are rejected and reported; every other line is loaded once.
 *
 * ClickHouse alone reads the timestamps, with and without `shiftToNow`. In a string, the number of digits
 * distinguishes seconds, milliseconds, microseconds and nanoseconds since 1970; a JSON number is microseconds.
 *
 * @throws LoadError when the table or the source does not exist, the table has no time to shift, the source is damaged, or ClickHouse becomes
 * unreachable; it states what was loaded before.
 */
export async function loadFile(options: LoadOptions): Promise<LoadReport> {
  const { createTable } = options;
  // Before the source is copied, which can take long.
  const existing = createTable ? undefined : await targetOf(options);
  const source = await openLoad(options);
  try {
    if (createTable) await createTable(await sampleOf(options, source));
    return await loadSource(options, existing ?? (await targetOf(options)), source);
  } finally {
    await source.close();
  }
}

async function targetOf({ client, table: name, shiftToNow }: LoadOptions): Promise<TargetTable> {
  const table = await describeTable(client, name);
  return shiftToNow ? withTime(table) : table;
}

function openLoad({ source, stdin, shiftToNow, createTable, onProgress }: LoadOptions): Promise<ByteSource> {
  let bytesRead = 0;
  return openSource({
    source,
    stdin,
    readTwice: shiftToNow || createTable !== undefined,
    onCopied: (bytes) => {
      bytesRead += bytes;
      onProgress?.({ phase: 'copying', bytesRead, bytesTotal: undefined, loaded: 0, rejected: 0 });
    },
  });
}

async function loadSource(options: LoadOptions, table: TargetTable, source: ByteSource): Promise<LoadReport> {
  const tally = new Tally(table);
  try {
    const load = { options, table, source, tally };
    if (options.shiftToNow) tally.shiftMicroseconds = await findShift(load, withTime(table));
    for await (const batch of oneAhead(checkedBatches(load))) await insert(load, batch);
    return tally.report();
  } catch (error) {
    throw toLoadError(error, options.source, tally);
  }
}

/** The first lines of the source that are valid. @throws LoadError where there are none. */
async function sampleOf({ source: name, format }: LoadOptions, source: ByteSource): Promise<string[]> {
  const noTable = { columns: [], computed: [], time: undefined, ttl: undefined };
  const rules = lineRules(noTable, false);
  const options = { reader: lineReader(format), limits: SAMPLE };
  const bytes = decompress(metered(source.read(), () => undefined));
  try {
    for await (const { rows } of readBatches(bytes, (line) => inspectLine(line, rules), options))
      if (rows.length > 0) return rows.map(({ text }) => text);
  } catch (error) {
    throw toLoadError(error, name, new Tally(noTable));
  }
  const shown = name === '-' ? 'standard input' : name;
  throw new LoadError(`${shown} has no valid line, so the columns of a new table cannot be inferred`);
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
  const reader = lineReader(options.format, table.columns);
  return readBatches(decompress(bytes), (line) => inspectLine(line, rules), { reader });
}
