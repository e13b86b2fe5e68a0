import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';

import { checkBatch, later, newestOf, type CheckedBatch } from './check-batch.js';
import type { Column } from './columns.js';
import { CsvReader } from './csv-reader.js';
import { headerError } from './csv-row.js';
import { decompress } from './decompress.js';
import type { Sample } from './infer-columns.js';
import { insertBatch } from './insert-batch.js';
import { lineInspector, type InspectLine } from './inspect-line.js';
import type { RejectedLine } from './line-splitter.js';
import { InputFailure, LoadError } from './load-error.js';
import { LoadReport, type LoadProgress } from './load-report.js';
import { metered, openSource, type ByteSource } from './open-source.js';
import { readBatches, type Batch, type BatchLimits } from './read-batches.js';
import type { SourceFormat } from './source-format.js';
import { describeText, jsonReader, inputOf, openText } from './source-text.js';
import { describeTable, type TargetTable } from './target-table.js';
import { UnknownFields } from './unknown-fields.js';

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
  readonly createTable?: (sample: Sample) => Promise<void>;
  readonly now: Date;
  /** Called after every batch, and for every copied chunk. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called for each rejected line, in line order, with its number from 1. */
  readonly onRejected?: (line: number, reason: string) => void;
}

/** Enough lines for types that hold for the rest, few enough for one query. */
const SAMPLE: BatchLimits = { bytes: 16_000_000, lines: 100_000 };

/** What a table is before it exists. */
const NO_TABLE = { columns: [], computed: [], time: undefined, ttl: undefined };

interface Load {
  readonly options: LoadOptions;
  readonly table: TargetTable;
  readonly source: ByteSource;
  readonly report: LoadReport;
  /** Bytes read in this phase. */
  bytesRead: number;
}

/**
 * Loads NDJSON into a table in batches, like a log shipper's `INSERT … FORMAT JSONEachRow`; records of CSV are converted to NDJSON. At
 * most two batches are in memory: one is inserted while ClickHouse checks the next. Lines that ClickHouse cannot
 * read are rejected and reported; every other line is loaded once.
 *
 * ClickHouse alone reads the timestamps, with and without `shiftToNow`. In a string, the number of digits
 * distinguishes seconds, milliseconds, microseconds and nanoseconds since 1970; a JSON number is microseconds.
 *
 * @throws LoadError when the table or the source does not exist, the table has no time to shift, the source is damaged, or
 * ClickHouse becomes unreachable. The error contains what was loaded before.
 */
export async function loadFile(options: LoadOptions): Promise<LoadReport> {
  const { createTable } = options;
  // Before the source is copied, which can take long.
  const existing = createTable ? undefined : await targetOf(options);
  const source = await openLoad(options);
  try {
    if (createTable) await createTable(await sampleOf(options, source));
    const table = existing ?? { ...(await targetOf(options)), isInferred: true };
    return await loadSource(options, table, source);
  } finally {
    await source.close();
  }
}

async function targetOf({ client, table: name, shiftToNow }: LoadOptions): Promise<TargetTable> {
  const table = await describeTable(client, name);
  if (!shiftToNow || table.time) return table;
  throw new LoadError(
    `the table ${name} has no column timestamp that --shift-to-now can shift: ` +
      'one of the type Date or DateTime that lines can set; load it without --shift-to-now',
  );
}

function openLoad({ source, stdin, shiftToNow, createTable, onProgress }: LoadOptions): Promise<ByteSource> {
  let bytesRead = 0;
  return openSource({
    source,
    stdin,
    readTwice: shiftToNow || createTable !== undefined,
    onCopied: (bytes) => {
      bytesRead += bytes;
      onProgress?.({ phase: 'copying', bytesRead, bytesTotal: undefined, loaded: 0 });
    },
  });
}

/** The first valid lines of the source. @throws LoadError where there are none */
async function sampleOf(options: LoadOptions, source: ByteSource): Promise<Sample> {
  const { source: name } = options;
  const inspect = lineInspector(undefined, new UnknownFields(NO_TABLE), false);
  const read = async (columns?: readonly Column[]): Promise<Batch> => {
    const batches = readSource(options, source.read(), { columns, inspect }, SAMPLE);
    let first: RejectedLine | undefined;
    for (;;) {
      const step = await batches.next();
      if (step.done === true) throw new LoadError(`${inputOf(name)} ${noValidLine(step.value, first)}`);
      first ??= step.value.rejected[0];
      if (step.value.rows.length === 0) continue;
      await batches.return('');
      return step.value;
    }
  };
  try {
    const { rows } = await read();
    return { rows, rowsOf: async (columns) => (await read(columns)).rows };
  } catch (error) {
    throw new LoadReport(NO_TABLE).failure(error, name);
  }
}

function noValidLine(what: string, first: RejectedLine | undefined): string {
  const reason = first ? ` (line ${first.line}: ${first.reason})` : '';
  return `has no valid line, so the columns of a new table cannot be inferred: ${what}${reason}`;
}

async function loadSource(options: LoadOptions, table: TargetTable, source: ByteSource): Promise<LoadReport> {
  const report = new LoadReport(table);
  const load = { options, table, source, report, bytesRead: 0 };
  let inserted = Promise.resolve();
  try {
    const shift = options.shiftToNow ? await findShift(load) : 0n;
    try {
      for await (const batch of batches(load, report.unknownFields)) {
        const checked = await checkBatch(options.client, table, batch, shift);
        await inserted;
        inserted = insert(load, checked, shift);
        // A failure is thrown where it is awaited; without a handler until then, Node would end the process.
        inserted.catch(() => undefined);
      }
    } finally {
      await inserted;
    }
    return report;
  } catch (error) {
    throw report.failure(error, options.source);
  }
}

/** The microseconds from the newest time of the source to now. Damaged input counts up to the damage. */
async function findShift(load: Load): Promise<bigint> {
  const { client, now } = load.options;
  let newest: bigint | undefined;
  try {
    for await (const { rows } of batches(load, new UnknownFields(load.table))) {
      newest = later(newest, await newestOf(client, load.table, rows));
      reportProgress(load, 'scanning');
    }
  } catch (error) {
    // The load will reach the same damage and report it.
    if (!(error instanceof InputFailure)) throw error;
  }
  return newest === undefined ? 0n : BigInt(now.getTime()) * 1000n - newest;
}

async function insert(load: Load, batch: CheckedBatch, shift: bigint): Promise<void> {
  const { options, table, report } = load;
  await report.addInserted(batch, insertBatch(options.client, table, batch.rows, shift));
  for (const { line, object, reason } of batch.rejected)
    options.onRejected?.(line, object === undefined ? reason : `object ${object}: ${reason}`);
  reportProgress(load, 'loading');
}

function reportProgress({ options, source, report, bytesRead }: Load, phase: LoadProgress['phase']): void {
  options.onProgress?.({ phase, bytesRead, bytesTotal: source.size, loaded: report.loaded });
}

/** The batches of the source, from its start; counts the unknown fields of its lines. */
function batches(load: Load, fields: UnknownFields): AsyncGenerator<Batch> {
  const { options, table, source } = load;
  load.bytesRead = 0;
  const bytes = metered(source.read(), (length) => (load.bytesRead += length));
  const inspect = lineInspector(table.time, fields, options.strict === true);
  return readSource(options, bytes, { columns: table.columns, inspect });
}

/** How lines become rows. */
interface Reading {
  /** Columns of the table; undefined where the table does not exist yet. */
  readonly columns: readonly Column[] | undefined;
  readonly inspect: InspectLine;
}

async function* readSource(
  { source, format = 'ndjson' }: LoadOptions,
  bytes: AsyncIterable<Buffer>,
  { columns, inspect }: Reading,
  limits?: BatchLimits,
): AsyncGenerator<Batch, string> {
  const delimiter = format === 'csv' ? ',' : '\t';
  const text = await openText(decompress(bytes), source);
  const isJson = /^\s*(?:\{\s*"|\[\s*\{)/.test(text.head);
  if (isJson && format !== 'ndjson') throw headerError('it is JSON, which --format ndjson loads');
  if (format !== 'ndjson' && /^\s*<(?:[!?]|(?:html|head|body|table|svg|rss|feed|error)\b)/i.test(text.head))
    throw headerError('it is HTML or XML');
  const reader = format === 'ndjson' ? jsonReader(text.head) : new CsvReader({ delimiter, columns });
  yield* readBatches(text.bytes, reader, inspect, limits);
  return describeText(text.head, format === 'ndjson');
}
