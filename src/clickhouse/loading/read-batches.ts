import type { Row } from './inspect-line.js';
import { LineSplitter, type Line } from './line-splitter.js';
import type { RejectedLine } from './load-report.js';

/** Consecutive lines of the file, for one INSERT. */
export interface Batch {
  readonly rows: readonly Row[];
  readonly rejected: readonly RejectedLine[];
  readonly lastLine: number;
}

export interface BatchLimits {
  /** Length of the text; a batch ends with the line that reaches it. */
  readonly bytes: number;
  /** Number of lines, rejected ones included. */
  readonly lines: number;
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
  inspect: (line: Line) => Row | RejectedLine,
  limits: BatchLimits = LIMITS,
): AsyncGenerator<Batch> {
  const splitter = new LineSplitter();
  let batch = new GrowingBatch();
  try {
    for await (const chunk of bytes) {
      for (const line of splitter.push(chunk)) {
        batch.add('text' in line ? inspect(line) : line);
        if (!batch.reaches(limits)) continue;
        yield batch;
        batch = new GrowingBatch();
      }
    }
  } catch (error) {
    if (batch.lastLine > 0) yield batch;
    throw error;
  }
  for (const line of splitter.end()) batch.add('text' in line ? inspect(line) : line);
  if (batch.lastLine > 0) yield batch;
}

class GrowingBatch implements Batch {
  readonly rows: Row[] = [];
  readonly rejected: RejectedLine[] = [];
  lastLine = 0;
  #bytes = 0;

  add(line: Row | RejectedLine): void {
    if ('text' in line) {
      this.rows.push(line);
      this.#bytes += Buffer.byteLength(line.text);
    } else {
      this.rejected.push(line);
    }
    this.lastLine = line.line;
  }

  reaches(limits: BatchLimits): boolean {
    return this.#bytes >= limits.bytes || this.rows.length + this.rejected.length >= limits.lines;
  }
}
