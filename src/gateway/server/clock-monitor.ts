import type { Logger } from '../observability/logger.js';
import type { Clock } from '../query/ports.js';

/** Milliseconds from which the difference of two clocks is a fault. */
const FAULT_MS = 30_000;
/** A `Date` has whole seconds: a smaller change of the difference says nothing. */
const SLACK_MS = 3000;

/** Compares the clock of the gateway with those of ClickHouse's servers, and logs where one begins to differ, or no longer does. */
export class ClockMonitor {
  private readonly aheadOf = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** The seconds by which the clock is ahead of that of a server, negative where it is behind; 0 unless it is a fault. */
  get aheadSeconds(): number {
    const [first = 0] = this.aheadOf.values();
    return first;
  }

  /** @param date the `Date` of a response that the server has just sent; not a number where it has none. */
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
