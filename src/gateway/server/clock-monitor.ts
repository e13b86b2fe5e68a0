import type { Logger } from '../observability/logger.js';
import type { Clock } from '../query/ports.js';

/** Milliseconds by which two clocks differ at least where the difference is a fault. */
const FAULT_MS = 30_000;
/** A `Date` has whole seconds, so that a smaller change of the difference means nothing. */
const SLACK_MS = 3000;

/** Compares the gateway's clock with those of ClickHouse's servers. Logs when a difference becomes a fault, and when that ends. */
export class ClockMonitor {
  private readonly aheadOf = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Seconds by which the gateway's clock is ahead of a server's clock, negative where it is behind; 0 unless that is a fault. */
  get aheadSeconds(): number {
    const [first = 0] = this.aheadOf.values();
    return first;
  }

  /** @param date time in the `Date` header of a response that the server has just sent; NaN where the header is missing. */
  readonly note = (server: string, date: number): void => {
    const aheadMs = this.clock().getTime() - date;
    const aheadSeconds = Math.round(aheadMs / 1000);
    const wasFault = this.aheadOf.has(server);
    if (Math.abs(aheadMs) >= FAULT_MS) {
      this.aheadOf.set(server, aheadSeconds);
      if (wasFault) return;
      const advice = 'relative times are wrong: set the clock';
      this.logger.warn('the clock of the gateway is not that of ClickHouse', {
        server,
        aheadSeconds,
        advice,
      });
    } else if (Math.abs(aheadMs) < FAULT_MS - SLACK_MS && this.aheadOf.delete(server)) {
      this.logger.info('the clock of the gateway is that of ClickHouse again', { server, aheadSeconds });
    }
  };
}
