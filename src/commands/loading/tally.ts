import type { CheckedBatch } from './check-batch.js';
import type { LoadPhase, LoadProgress, LoadReport } from './load-report.js';
import type { TargetTable } from './target-table.js';
import { FieldCounts, FieldNames } from './unknown-fields.js';

/** Counts loaded and rejected lines. */
export class Tally {
  #loaded = 0;
  #rejected = 0;
  #olderThanRetention = 0;
  #newest: bigint | undefined;
  #lastLine = 0;
  /** Bytes of the source that were read in this phase. */
  bytes = 0;
  /** The shift of every timestamp, in microseconds. */
  shiftMicroseconds = 0n;

  readonly #unknownFields = new FieldCounts();

  constructor(private readonly table: Pick<TargetTable, 'columns' | 'computed' | 'ttl'>) {}

  /** Counts a batch that was inserted. */
  add({ rows, rejected, unknownFields, lastLine }: CheckedBatch): void {
    this.#loaded += rows.length;
    this.#rejected += rejected.length;
    this.#lastLine = lastLine;
    for (const [name, lines] of unknownFields) this.#unknownFields.add(name, lines);
    for (const { micros, isExpired } of rows) {
      if (isExpired) this.#olderThanRetention += 1;
      if (micros !== undefined && (this.#newest === undefined || micros > this.#newest))
        this.#newest = micros;
    }
  }

  /** The first line, from 1, that is neither loaded nor rejected. */
  get nextLine(): number {
    return this.#lastLine + 1;
  }

  progress(phase: LoadPhase, bytesTotal: number | undefined): LoadProgress {
    return { phase, bytesRead: this.bytes, bytesTotal, loaded: this.#loaded, rejected: this.#rejected };
  }

  report(): LoadReport {
    return {
      loaded: this.#loaded,
      rejected: this.#rejected,
      olderThanRetention: this.#olderThanRetention,
      ttl: this.table.ttl,
      unknownFields: this.#unknownFields.list(new FieldNames(this.table)),
      hasMoreUnknownFields: this.#unknownFields.hasMore,
      bytes: this.bytes,
      newest: this.#newest,
      shiftMicroseconds: this.shiftMicroseconds,
    };
  }
}
