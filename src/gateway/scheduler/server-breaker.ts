import { Failure } from '../errors.js';
import { LinkedAbort, setRealTimer, type SetTimer } from '../query/signal.js';
import type { SlotRequest, Clock } from '../query/ports.js';

/** Reason why a breaker opened. */
export type OpenReason = 'unreachable' | 'stalled';

export interface ServerBreakerOptions {
  /**
   * Whether ClickHouse responds to a ping, on a connection that no query can block. A rejection counts as false.
   *
   * @param signal aborted after {@link ServerBreakerOptions.pingMs}.
   */
  readonly ping: (signal: AbortSignal) => Promise<boolean>;
  readonly clock: Clock;
  /** Called once for each change, with the reason when the breaker opens. */
  readonly onChange: (state: ServerBreakerState, reason?: OpenReason) => void;
  readonly setTimer?: SetTimer;
  /** Consecutive lost connections, without a response in between, that open the breaker. */
  readonly failuresToOpen?: number;
  /** Time without a response, while queries run, after which the gateway pings ClickHouse. In milliseconds. */
  readonly stallMs?: number;
  readonly pingMs?: number;
  /** Time that the breaker stays open before a ping, in milliseconds. Each failed ping doubles it, up to the maximum. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
}

export type ServerBreakerState = 'closed' | 'open';

/** Current state and running queries, and counts since the start. */
export interface ServerBreakerFigures {
  /** State of one server. For a pool: open if every server is ejected. */
  readonly state: ServerBreakerState;
  readonly running: number;
  /** Running queries that were cancelled because ClickHouse stalled. */
  readonly cancelled: number;
  readonly opened: Readonly<Record<OpenReason, number>>;
}

interface Run {
  readonly startedAt: number;
  readonly abort: LinkedAbort;
}

const DEFAULTS = { failuresToOpen: 3, stallMs: 2000, pingMs: 1000, firstPauseMs: 250, maxPauseMs: 500 };
/** Maximum time that a breaker stays open because a proxy in front of ClickHouse sent Retry-After. */
const MAX_WAIT_MS = 300_000;
/** Consecutive pings without a response after which a server counts as stalled. */
const PINGS_TO_STALL = 2;

/**
 * A circuit breaker for one ClickHouse server. It opens when connections are lost, and when ClickHouse stalls: neither the running queries
 * nor pings get a response. It then cancels the running queries. Any response, even an error, shows that ClickHouse works. So neither
 * callers' mistakes nor slow queries open the breaker.
 *
 * While the breaker is open, it rejects queries. After a pause it is half-open: the next request sends a ping, and a response closes the
 * breaker. It sends nothing without a request, so that an idle cloud service can pause.
 */
export class ServerBreaker {
  private readonly options: Required<ServerBreakerOptions>;
  private readonly runs = new Set<Run>();
  private state: ServerBreakerState = 'closed';
  private failures = 0;
  private cancelled = 0;
  private readonly opened: Record<OpenReason, number> = { unreachable: 0, stalled: 0 };
  /** Time of ClickHouse's last response of any kind. */
  private respondedAt = 0;
  private pauseMs: number;
  private openUntil = 0;
  /** Whether a half-open breaker waits for the response to its ping. */
  private isTrying = false;
  private cancelCheck: (() => void) | undefined;

  constructor(options: ServerBreakerOptions) {
    this.options = { setTimer: setRealTimer, ...DEFAULTS, ...options };
    this.pauseMs = this.options.firstPauseMs;
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** Time for which the open breaker still sends nothing, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.openUntil - this.now());
  }

  /** Number of running queries. */
  get running(): number {
    return this.runs.size;
  }

  get figures(): ServerBreakerFigures {
    const { state, cancelled, opened } = this;
    return { state, running: this.runs.size, cancelled, opened: { ...opened } };
  }

  /**
   * Whether ClickHouse responds again. Must be called while the breaker is open. After the pause one call sends a ping, whose response
   * closes the breaker. All other calls return false. Never rejects.
   */
  async tryAgain(): Promise<boolean> {
    if (this.isTrying || this.now() < this.openUntil) return false;
    this.isTrying = true;
    const isBack = await this.ping();
    this.isTrying = false;
    if (isBack) this.noteResponse();
    else {
      this.pauseMs = Math.min(this.pauseMs * 2, this.options.maxPauseMs);
      this.openUntil = this.now() + this.pauseMs;
    }
    return isBack;
  }

  /**
   * Runs work on the server and watches its outcome.
   *
   * @throws Failure CLICKHOUSE_UNREACHABLE if the breaker is open, or cancels the work because ClickHouse stalls.
   */
  async run<R extends SlotRequest, T>(request: R, work: (request: R) => Promise<T>): Promise<T> {
    if (this.state === 'open') throw clickHouseUnreachable('the circuit breaker is open');
    const abort = new LinkedAbort(request.signal);
    const run = { startedAt: this.now(), abort };
    this.begin(run);
    try {
      const result = await work({ ...request, signal: abort });
      this.noteResponse();
      return result;
    } catch (error) {
      if (abort.aborted && !request.signal.aborted) throw abort.reason;
      if (!request.signal.aborted) this.failed(error);
      throw error;
    } finally {
      abort.end();
      this.end(run);
    }
  }

  private failed(error: unknown): void {
    if (!(error instanceof Failure)) return;
    // The gateway's own time limit can end a query to which ClickHouse never responded.
    if (error.code === 'QUERY_TIMEOUT') return;
    const isUnavailable = error.code === 'CLICKHOUSE_UNAVAILABLE';
    if (error.code !== 'CLICKHOUSE_UNREACHABLE' && !isUnavailable) {
      this.noteResponse();
      return;
    }
    const { retryAfterSeconds = 0 } = error.details;
    if (isUnavailable && retryAfterSeconds > 1)
      this.open('unreachable', Math.min(retryAfterSeconds * 1000, MAX_WAIT_MS));
    this.failures += 1;
    if (this.failures >= this.options.failuresToOpen) this.open('unreachable');
  }

  /** Notes a sign of life of ClickHouse, such as a chunk of a response. */
  noteResponse(): void {
    this.respondedAt = this.now();
    this.failures = 0;
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.pauseMs = this.options.firstPauseMs;
    this.options.onChange('closed');
  }

  private open(reason: OpenReason, pauseMs = this.pauseMs): void {
    if (this.state === 'open') return;
    this.state = 'open';
    this.opened[reason] += 1;
    this.openUntil = this.now() + pauseMs;
    this.options.onChange('open', reason);
  }

  private begin(run: Run): void {
    this.runs.add(run);
    if (!this.cancelCheck) this.checkLater(this.options.stallMs);
  }

  private end(run: Run): void {
    this.runs.delete(run);
    if (this.runs.size > 0) return;
    this.cancelCheck?.();
    this.cancelCheck = undefined;
  }

  private checkLater(milliseconds: number): void {
    const cancel = this.options.setTimer(() => {
      void this.check(cancel);
    }, milliseconds);
    this.cancelCheck = cancel;
  }

  /** Pings a server that has not responded for too long. Checks again later while queries run. */
  private async check(current: () => void): Promise<void> {
    const { stallMs } = this.options;
    const hasStalled = this.silentMs() >= stallMs && !(await this.respondsToPing());
    if (hasStalled) {
      this.open('stalled');
      this.cancelRuns();
    }
    // During the ping all queries may have ended, and new ones may have started with another check.
    if (this.cancelCheck !== current) return;
    this.checkLater(hasStalled ? stallMs : Math.max(1, stallMs - this.silentMs()));
  }

  /** Time for which queries have run without any response, in milliseconds. */
  private silentMs(): number {
    const [oldest] = this.runs;
    return oldest ? this.now() - Math.max(oldest.startedAt, this.respondedAt) : 0;
  }

  private async respondsToPing(): Promise<boolean> {
    for (let tries = 0; tries < PINGS_TO_STALL; tries += 1) {
      const { respondedAt } = this;
      const hasResponded = await this.ping();
      if (hasResponded) this.noteResponse();
      if (hasResponded || this.respondedAt !== respondedAt || this.runs.size === 0) return true;
    }
    return false;
  }

  private cancelRuns(): void {
    for (const { abort } of this.runs) {
      if (abort.aborted) continue;
      this.cancelled += 1;
      abort.abort(clickHouseUnreachable('stalled: ClickHouse responds neither to queries nor to pings'));
    }
  }

  /** Pings with a timeout that applies even if the ping ignores its signal. */
  private async ping(): Promise<boolean> {
    const controller = new AbortController();
    let cancel: (() => void) | undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.options.setTimer(() => {
        controller.abort();
        resolve(false);
      }, this.options.pingMs);
    });
    try {
      return await Promise.race([this.options.ping(controller.signal), late]);
    } catch {
      return false;
    } finally {
      cancel?.();
    }
  }

  private now(): number {
    return this.options.clock().getTime();
  }
}

/** Failure of a query that gets no response from ClickHouse. @param diagnosis for the log. */
export function clickHouseUnreachable(diagnosis: string, retryAfterSeconds = 1): Failure {
  const code = retryAfterSeconds > 1 ? 'CLICKHOUSE_UNAVAILABLE' : 'CLICKHOUSE_UNREACHABLE';
  return new Failure(code, 'ClickHouse does not respond. Try again shortly.', {
    retryAfterSeconds,
    diagnosis,
  });
}
