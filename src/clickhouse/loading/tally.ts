import type { CheckedBatch } from './check-batch.js';
import type { LoadPhase, LoadProgress, LoadReport } from './load-report.js';
import { oldestRetained } from './timestamp-range.js';

/** Counts what has been loaded. */
export class Tally {
  #loaded = 0;
  #refused = 0;
  #olderThanRetention = 0;
  #newest: bigint | undefined;
  #lastLine = 0;
  /** Bytes read of the source, in this phase. */
  bytes = 0;
  /** What is added to every timestamp, in microseconds. */
  shiftMicroseconds = 0n;

  readonly #oldestKept: bigint;

  constructor(now: Date) {
    this.#oldestKept = oldestRetained(now);
  }

  /** A batch is in the table. */
  add({ rows, rejected: refusals, lastLine }: CheckedBatch): void {
    this.#loaded += rows.length;
    this.#refused += refusals.length;
    this.#lastLine = lastLine;
    for (const { micros } of rows) {
      if (micros < this.#oldestKept) this.#olderThanRetention += 1;
      if (this.#newest === undefined || micros > this.#newest) this.#newest = micros;
    }
  }

  /** The line, from 1, before which all is done. */
  get nextLine(): number {
    return this.#lastLine + 1;
  }

  progress(phase: LoadPhase, bytesTotal: number | undefined): LoadProgress {
    return { phase, bytesRead: this.bytes, bytesTotal, loaded: this.#loaded, rejected: this.#refused };
  }

  report(): LoadReport {
    return {
      loaded: this.#loaded,
      rejected: this.#refused,
      olderThanRetention: this.#olderThanRetention,
      bytes: this.bytes,
      newest: this.#newest,
      shiftMicroseconds: this.shiftMicroseconds,
    };
  }
}
