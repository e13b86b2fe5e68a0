import type { Clock } from '../query/ports.js';
import type { AnalyzeSql } from '../query/sandboxed-select.js';
import { Abort } from '../query/signal.js';

/** Milliseconds for which a version is not read again. */
const FRESH_MS = 600_000;
/** Milliseconds after which it is read again where ClickHouse does not respond: each caller would wait for it. */
const RETRY_MS = 1000;

/** The version of ClickHouse, by which its clients decide what they send. */
export class ServerVersion {
  /** Empty where it was not read yet. */
  known = '';
  private readAt = -Infinity;

  constructor(
    private readonly analyzeSql: AnalyzeSql,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure where ClickHouse did not respond yet */
  async read(): Promise<void> {
    const now = this.clock().getTime();
    if (now - this.readAt < FRESH_MS) return;
    if (this.known !== '') this.readAt = now - FRESH_MS + RETRY_MS;
    try {
      const [version = ''] = await this.analyzeSql({ signal: new Abort() }, (parser, signal) =>
        parser.lines('SELECT version()', signal),
      );
      Object.assign(this, { known: version, readAt: now });
    } catch (error) {
      // Cached results are served while ClickHouse is away.
      if (this.known === '') throw error;
    }
  }
}
