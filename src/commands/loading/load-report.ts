import type { CheckedBatch } from './check-batch.js';
import { codeOf, describeFailure, InputFailure, LoadError } from './load-error.js';
import { inputOf } from './source-text.js';
import type { TargetTable } from './target-table.js';
import { UnknownFields } from './unknown-fields.js';

/** The progress of a load; `bytesRead` restarts from 0 in each phase. */
export interface LoadProgress {
  /** `copying` standard input to a file, and `scanning` for the newest time, happen only where it is read twice. */
  readonly phase: 'copying' | 'scanning' | 'loading';
  /** Bytes read of the source, before decompression. */
  readonly bytesRead: number;
  /** The size of the source; undefined if unknown before its end. */
  readonly bytesTotal: number | undefined;
  readonly loaded: number;
}

/** The result of a load, which grows with each batch. */
export class LoadReport {
  /** Number of loaded lines. */
  loaded = 0;
  /** Number of rejected lines; blank lines are neither loaded nor rejected. */
  rejected = 0;
  /** Loaded rows that the table's TTL deletes, now or soon. */
  olderThanRetention = 0;
  readonly ttl: TargetTable['ttl'];
  readonly unknownFields: UnknownFields;

  /** The first line that is neither loaded nor rejected. */
  #nextLine = 1;
  /** Number of the next object; undefined where each line is one JSON object. */
  #nextObject: number | undefined;
  /** The last line of a batch that is being inserted: some of its rows may have been written. */
  #insertingTo: number | undefined;

  constructor(table: Pick<TargetTable, 'columns' | 'computed' | 'ttl'>) {
    this.ttl = table.ttl;
    this.unknownFields = new UnknownFields(table);
  }

  /** Counts a batch once it is inserted. */
  async addInserted(batch: CheckedBatch, inserted: Promise<void>): Promise<void> {
    this.#insertingTo = batch.lastLine;
    await inserted;
    this.#insertingTo = undefined;
    this.#nextLine = batch.lastLine + 1;
    if (batch.lastObject !== undefined) this.#nextObject = batch.lastObject + 1;
    this.loaded += batch.rows.length;
    this.rejected += batch.rejected.length;
    this.olderThanRetention += batch.expired;
  }

  /** The error that ends the load, with what was loaded before, and where to resume. */
  failure(cause: unknown, source: string): LoadError {
    if (cause instanceof LoadError) return cause;
    const next = this.#nextLine;
    const loaded = this.loaded === 0 ? 'Nothing was loaded' : `${this.loaded} lines were loaded`;
    if (cause instanceof InputFailure) {
      return new LoadError(`${inputOf(source)}: ${cause.message}, after line ${next - 1}. ${loaded}.`, {
        cause,
      });
    }
    // Only after a refused connection is it certain that no row was written.
    const isInDoubt = this.#insertingTo !== undefined && codeOf(cause) !== 'ECONNREFUSED';
    const doubt = ` Rows of lines ${next} to ${this.#insertingTo} may already have been written.`;
    const place = this.#nextObject === undefined ? `line ${next}` : `object ${this.#nextObject}`;
    const message = `${describeFailure(cause)}. ${loaded}; resume from ${place}.`;
    return new LoadError(message + (isInDoubt ? doubt : ''), { cause });
  }
}
