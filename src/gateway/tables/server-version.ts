import type { Clock } from '../query/ports.js';
import type { AnalyzeSql } from '../query/sandboxed-select.js';
import { Abort } from '../query/signal.js';

/** Time for which a version is current, in milliseconds. */
const FRESH_MS = 600_000;
/** Wait before the next attempt if ClickHouse does not respond, in milliseconds. Without it every caller would wait for ClickHouse. */
const RETRY_MS = 1000;

/** Version of ClickHouse. ClickHouse clients decide by the version what they send. */
export class ServerVersion {
  /** Last version that was read. Empty before the first. */
  known = '';
  private readAt = -Infinity;

  constructor(
    private readonly analyzeSql: AnalyzeSql,
    private readonly clock: Clock,
  ) {}

  /** Reads the version if it is not current. @throws Failure where ClickHouse has never responded */
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
      // A known version is enough to serve cached results while ClickHouse is unreachable.
      if (this.known === '') throw error;
    }
  }
}
