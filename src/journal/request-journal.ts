import type { RequestRecord } from './request-record.js';

export interface JournalOptions {
  /** Writes a batch; a rejection loses it. */
  readonly insert: (records: readonly RequestRecord[]) => Promise<void>;
  /** Told once when writing begins to fail, and once when it goes on. */
  readonly onChange: (state: 'failing' | 'writing', error?: unknown) => void;
  /** Records that wait at most; further ones are dropped and counted. */
  readonly maxWaiting?: number;
  /** Records that are written at once. */
  readonly batch?: number;
}

const DEFAULTS = { maxWaiting: 50_000, batch: 10_000 };

/**
 * Writes requests down in batches, away from the requests: noting one is a push to a list, and what ClickHouse does not
 * take in time is dropped, never waited for. Where nothing was asked nothing is written.
 */
export class RequestJournal {
  private readonly options: Required<JournalOptions>;
  private waiting: RequestRecord[] = [];
  private lost = 0;
  private failing = false;
  private writing: Promise<void> | undefined;

  constructor(options: JournalOptions) {
    this.options = { ...DEFAULTS, ...options };
  }

  /** Records that were dropped since the start. */
  get dropped(): number {
    return this.lost;
  }

  note(record: RequestRecord): void {
    if (this.waiting.length < this.options.maxWaiting) this.waiting.push(record);
    else this.lost += 1;
  }

  /** Writes what waits; to be called every few seconds, and does nothing while it still writes. */
  flush(): Promise<void> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.options.batch);
      try {
        await this.options.insert(batch);
        this.change(false);
      } catch (error) {
        this.lost += batch.length;
        this.change(true, error);
        return;
      }
    }
  }

  private change(failing: boolean, error?: unknown): void {
    if (this.failing === failing) return;
    this.failing = failing;
    this.options.onChange(failing ? 'failing' : 'writing', error);
  }
}
