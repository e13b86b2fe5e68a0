import type { RequestRecord } from './request-record.js';

/** Failing where batches are refused and lost; full where they are written, or yet to be, and what comes meanwhile is lost. */
export type RequestLogState = 'writing' | 'failing' | 'full';

export interface RequestLogOptions {
  /** Writes a batch; a rejection loses it. */
  readonly insert: (records: readonly RequestRecord[]) => Promise<void>;
  /** Told when a state begins. */
  readonly onChange: (state: RequestLogState, error?: unknown) => void;
  /** Reports how many requests without a key were skipped since the last flush, where any were. */
  readonly onSkipped?: (count: number) => void;
  /** Requests without a key that are written, of each code, from one flush to the next; further ones are only counted. */
  readonly maxWithoutKey?: number;
  /** Records that wait at most; further ones are dropped and counted. */
  readonly maxWaiting?: number;
  /** Records that are written at once. */
  readonly batch?: number;
}

const DEFAULTS = { maxWaiting: 50_000, batch: 10_000, maxWithoutKey: 10, onSkipped: () => undefined };

/**
 * Writes requests down in batches, away from the requests: noting one is a push to a list, and what ClickHouse does not
 * take in time is dropped, never waited for. Where nothing was asked nothing is written. Of requests without a key a sample
 * is written, since anybody can send them and nobody shall fill the table.
 */
export class RequestLog {
  private readonly options: Required<RequestLogOptions>;
  private waiting: RequestRecord[] = [];
  private lost = 0;
  private skippedTotal = 0;
  private skippedSinceFlush = 0;
  private readonly withoutKeyByCode = new Map<string, number>();
  private state: RequestLogState = 'writing';
  private writing: Promise<void> | undefined;

  constructor(options: RequestLogOptions) {
    this.options = { ...DEFAULTS, ...options };
  }

  /** Records that were dropped since the start. */
  get dropped(): number {
    return this.lost;
  }

  /** Requests without a key that were skipped since the start. */
  get skipped(): number {
    return this.skippedTotal;
  }

  note(record: RequestRecord): void {
    if (record.key_name === '' && !this.isInSample(record)) {
      this.skippedSinceFlush += 1;
      this.skippedTotal += 1;
      return;
    }
    if (this.waiting.length < this.options.maxWaiting) {
      this.waiting.push(record);
      return;
    }
    this.lost += 1;
    // Of one that fails it is known that requests are lost.
    if (this.state === 'writing') this.change('full');
  }

  /** Writes what waits; to be called every few seconds, and does nothing while it still writes. */
  flush(): Promise<void> {
    this.beginSample();
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private isInSample({ code }: RequestRecord): boolean {
    const before = this.withoutKeyByCode.get(code) ?? 0;
    if (before >= this.options.maxWithoutKey) return false;
    this.withoutKeyByCode.set(code, before + 1);
    return true;
  }

  private beginSample(): void {
    this.withoutKeyByCode.clear();
    if (this.skippedSinceFlush > 0) this.options.onSkipped(this.skippedSinceFlush);
    this.skippedSinceFlush = 0;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.options.batch);
      try {
        await this.options.insert(batch);
        if (this.state === 'failing') this.change('writing');
      } catch (error) {
        this.lost += batch.length;
        this.change('failing', error);
        return;
      }
    }
    // Not after each batch: where more comes than is written, that would be told over and over.
    if (this.state === 'full') this.change('writing');
  }

  private change(state: RequestLogState, error?: unknown): void {
    if (this.state === state) return;
    this.state = state;
    this.options.onChange(state, error);
  }
}
