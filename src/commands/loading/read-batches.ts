import type { InspectLine } from './inspect-line.js';
import { rejectedRow, type Line, type LineReader, type RejectedLine } from './line-splitter.js';

/** Consecutive lines of the file, for one INSERT. */
export interface Batch {
  /** Each is a JSON object; ClickHouse may still be unable to read its values. */
  readonly rows: readonly Line[];
  readonly rejected: readonly RejectedLine[];
  readonly lastLine: number;
  /** The last JSON object, where lines are not one object each. */
  readonly lastObject?: number | undefined;
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
 * Splits bytes into lines and groups these into batches. Blank lines belong to none.
 *
 * @throws the error of the bytes, after the batch of all complete lines before it. An incomplete last line is neither
 * loaded nor rejected.
 */
export async function* readBatches(
  bytes: AsyncIterable<Buffer>,
  reader: LineReader,
  inspect: InspectLine,
  limits = LIMITS,
): AsyncGenerator<Batch> {
  let batch = new GrowingBatch();
  try {
    for await (const chunk of bytes) {
      for (const line of reader.push(chunk)) {
        batch.add(line, inspect);
        if (!batch.reaches(limits)) continue;
        yield batch;
        batch = new GrowingBatch();
      }
    }
  } catch (error) {
    if (batch.lastLine > 0) yield batch;
    throw error;
  }
  for (const line of reader.end()) batch.add(line, inspect);
  if (batch.lastLine > 0) yield batch;
}

class GrowingBatch implements Batch {
  readonly rows: Line[] = [];
  readonly rejected: RejectedLine[] = [];
  lastLine = 0;
  lastObject: number | undefined;
  #bytes = 0;

  add(line: Line | RejectedLine, inspect: InspectLine): void {
    if ('text' in line && line.text.trim() === '') return;
    this.lastLine = line.lastLine ?? line.line;
    this.lastObject = line.object;
    if ('reason' in line) {
      this.rejected.push(line);
      return;
    }
    const reason = inspect(line.text);
    if (reason !== undefined) {
      this.rejected.push(rejectedRow(line, reason));
      return;
    }
    this.rows.push(line);
    this.#bytes += Buffer.byteLength(line.text);
  }

  reaches(limits: BatchLimits): boolean {
    return this.#bytes >= limits.bytes || this.rows.length + this.rejected.length >= limits.lines;
  }
}
