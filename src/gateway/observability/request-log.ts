import { LineBatch } from './line-batch.js';
import { lineOf, type LogEntry } from './request-log-columns.js';

/** `failing`: a batch was rejected and lost. `full`: too many records wait to be written, so that new ones are lost. */
export type RequestLogState = 'writing' | 'failing' | 'full';

export interface RequestLogOptions {
  /** Writes a batch, one line of {@link lineOf} per record; the batch is lost on rejection. The buffer is reused once the promise settles. */
  readonly insert: (lines: Buffer) => Promise<void>;
  /** Called when the state changes. */
  readonly onChange: (state: RequestLogState, error?: unknown) => void;
  /** Called at each flush with the number of skipped requests without a key, if there were any. */
  readonly onSkipped?: (count: number) => void;
  /** Maximum number of requests without a key that are written for each code between two flushes; further ones are only counted. */
  readonly maxWithoutKey?: number;
  /** Maximum number of waiting records; further ones are dropped and counted. */
  readonly maxWaiting?: number;
  /** Maximum number of records in one insert. A full batch is written without waiting for the next flush. */
  readonly batch?: number;
}

const DEFAULTS = { maxWaiting: 50_000, batch: 20_000, maxWithoutKey: 10, onSkipped: () => undefined };

/**
 * Writes requests to the request log in batches, without delaying requests: `note` only appends a line to a batch. Records are
 * dropped if ClickHouse is too slow. Nothing is written without requests. Of requests without a key only a sample is written,
 * because anyone can send them and could fill the table.
 */
export class RequestLog {
  private readonly options: Required<RequestLogOptions>;
  private open = new LineBatch();
  private readonly full: LineBatch[] = [];
  /**
   * A written batch whose buffer is reused. V8 counts new buffers as growth of the heap. With a new buffer for each batch, a busy
   * gateway would stop for a full garbage collection every few seconds.
   */
  private written: LineBatch | undefined;
  /** Whether a flush writes the open batch too. */
  private isFlushing = false;
  private waiting = 0;
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

  note(entry: LogEntry): void {
    const hasKey = entry.key !== undefined;
    if (!hasKey && entry.purpose === 'call' && !this.isInSample(entry)) {
      this.skippedSinceFlush += 1;
      this.skippedTotal += 1;
      return;
    }
    if (this.waiting < this.options.maxWaiting) {
      this.open.append(lineOf(entry));
      this.waiting += 1;
      if (this.open.count >= this.options.batch) {
        this.full.push(this.takeOpen());
        void this.write();
      }
      return;
    }
    this.lost += 1;
    // The state `failing` already reports that records are lost.
    if (this.state === 'writing') this.change('full');
  }

  /** Checks before the first record that ClickHouse accepts inserts, by an empty one. Never rejects. */
  async check(): Promise<void> {
    await this.options.insert(Buffer.alloc(0)).catch((error: unknown) => {
      this.change('failing', error);
    });
  }

  /** Writes the waiting records; called every few seconds. Joins a write that is running. */
  flush(): Promise<void> {
    this.beginSample();
    this.isFlushing = true;
    return this.write();
  }

  private write(): Promise<void> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private isInSample({ code }: LogEntry): boolean {
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
    for (let batch = this.next(); batch; batch = this.next()) {
      this.waiting -= batch.count;
      try {
        await this.options.insert(batch.content);
        batch.clear();
        this.written = batch;
        if (this.state === 'failing') this.change('writing');
      } catch (error) {
        this.lost += batch.count;
        this.change('failing', error);
        return;
      }
    }
    // The state changes here, not after each batch: under constant overload it would change again and again.
    if (this.state === 'full') this.change('writing');
  }

  /** The next batch to write. The open batch is written only once per flush, because each insert makes a part that ClickHouse must merge. */
  private next(): LineBatch | undefined {
    const full = this.full.shift();
    if (full || !this.isFlushing) return full;
    this.isFlushing = false;
    return this.open.count > 0 ? this.takeOpen() : undefined;
  }

  private takeOpen(): LineBatch {
    const { open } = this;
    this.open = this.written ?? new LineBatch();
    this.written = undefined;
    return open;
  }

  private change(state: RequestLogState, error?: unknown): void {
    if (this.state === state) return;
    this.state = state;
    this.options.onChange(state, error);
  }
}
