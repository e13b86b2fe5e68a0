import type { CheckedBatch } from './check-batch.js';
import type { LoadPhase, LoadProgress, LoadReport } from './load-report.js';
import { oldestRetained } from './timestamp-range.js';

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

  readonly #oldestRetained: bigint;

  constructor(now: Date) {
    this.#oldestRetained = oldestRetained(now);
  }

  /** Counts a batch that was inserted. */
  add({ rows, rejected, lastLine }: CheckedBatch): void {
    this.#loaded += rows.length;
    this.#rejected += rejected.length;
    this.#lastLine = lastLine;
    for (const { micros } of rows) {
      if (micros < this.#oldestRetained) this.#olderThanRetention += 1;
      if (this.#newest === undefined || micros > this.#newest) this.#newest = micros;
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
      bytes: this.bytes,
      newest: this.#newest,
      shiftMicroseconds: this.shiftMicroseconds,
    };
  }
}
