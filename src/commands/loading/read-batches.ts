import type { InspectedLine } from './inspect-line.js';
import type { Row } from './row.js';
import { LineSplitter, type Line, type LineReader } from './line-splitter.js';
import type { RejectedLine } from './load-report.js';

/** Consecutive lines of the file, for one INSERT. */
export interface Batch {
  readonly rows: readonly Row[];
  readonly rejected: readonly RejectedLine[];
  /** Number of lines by the name of a field that the table does not store. */
  readonly unknownFields: ReadonlyMap<string, number>;
  readonly lastLine: number;
}

export interface BatchLimits {
  /** Length of the text; a batch ends with the line that reaches it. */
  readonly bytes: number;
  /** Number of lines, rejected ones included. */
  readonly lines: number;
}

export interface BatchOptions {
  readonly limits?: BatchLimits;
  /** What turns the bytes into lines; by default, they are NDJSON. */
  readonly reader?: LineReader;
}

/** Large enough for ClickHouse to create few parts, small enough for a few batches in memory. */
const LIMITS: BatchLimits = { bytes: 8_000_000, lines: 20_000 };

/**
 * Splits bytes into lines and groups these into batches.
 *
 * @throws the error of the bytes, after the batch of all complete lines before it. An incomplete last line is neither
 * loaded nor rejected.
 */
export async function* readBatches(
  bytes: AsyncIterable<Buffer>,
  inspect: (line: Line) => InspectedLine,
  { limits = LIMITS, reader = new LineSplitter() }: BatchOptions = {},
): AsyncGenerator<Batch> {
  let batch = new GrowingBatch();
  try {
    for await (const chunk of bytes) {
      for (const line of reader.push(chunk)) {
        batch.inspect(line, inspect);
        if (!batch.reaches(limits)) continue;
        yield batch;
        batch = new GrowingBatch();
      }
    }
  } catch (error) {
    if (batch.lastLine > 0) yield batch;
    throw error;
  }
  for (const line of reader.end()) batch.inspect(line, inspect);
  if (batch.lastLine > 0) yield batch;
}

class GrowingBatch implements Batch {
  readonly rows: Row[] = [];
  readonly rejected: RejectedLine[] = [];
  readonly unknownFields = new Map<string, number>();
  lastLine = 0;
  #bytes = 0;

  inspect(line: Line | RejectedLine, inspect: (line: Line) => InspectedLine): void {
    this.lastLine = line.lastLine ?? line.line;
    if (!('text' in line)) {
      this.#add(line);
      return;
    }
    const { result, unknownFields } = inspect(line);
    this.#add(result);
    for (const name of unknownFields) this.unknownFields.set(name, (this.unknownFields.get(name) ?? 0) + 1);
  }

  #add(line: Row | RejectedLine): void {
    if ('text' in line) {
      this.rows.push(line);
      this.#bytes += Buffer.byteLength(line.text);
    } else {
      this.rejected.push(line);
    }
  }

  reaches(limits: BatchLimits): boolean {
    return this.#bytes >= limits.bytes || this.rows.length + this.rejected.length >= limits.lines;
  }
}
