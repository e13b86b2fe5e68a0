import { Failure } from '../errors.js';
import { LinkedAbort } from '../query/linked-abort.js';
import type { SlotRequest, Clock } from '../query/ports.js';
import { setRealTimer, type SetTimer } from './timers.js';

/** Why a watch opened. */
export type OpenReason = 'unreachable' | 'stalled';

export interface ServerBreakerOptions {
  /**
   * Whether ClickHouse answers a ping, on a connection that no query can hold up. A rejection is a no.
   *
   * @param signal aborted after {@link ServerBreakerOptions.pingMs}.
   */
  readonly ping: (signal: AbortSignal) => Promise<boolean>;
  readonly clock: Clock;
  /** Told once a change, with the reason when it opens. */
  readonly onChange: (state: ServerBreakerState, reason?: OpenReason) => void;
  readonly setTimer?: SetTimer;
  /** Lost connections in a row, no answer between them, that open it. */
  readonly failuresToOpen?: number;
  /** Milliseconds of silence while queries run after which ClickHouse is pinged. */
  readonly stallMs?: number;
  readonly pingMs?: number;
  /** Milliseconds for which it stays open before one request may ping; doubled each time, up to the maximum. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
}

export type ServerBreakerState = 'closed' | 'open';

/** What it has seen since the start, and what runs now. */
export interface ServerBreakerFigures {
  readonly state: ServerBreakerState;
  readonly running: number;
  /** Running queries that were ended because ClickHouse stalled. */
  readonly cut: number;
  readonly opened: Readonly<Record<OpenReason, number>>;
}

interface Run {
  readonly startedAt: number;
  readonly bound: LinkedAbort;
}

const DEFAULTS = { failuresToOpen: 3, stallMs: 2000, pingMs: 1000, firstPauseMs: 250, maxPauseMs: 500 };
/** Pings in a row without an answer that make a stall of a silence. */
const PINGS_TO_STALL = 2;

/**
 * A circuit breaker for one ClickHouse server. It opens when connections are lost, and when ClickHouse stalls: queries run, none is
 * answered, and neither is a ping; the queries that run are then ended. Whatever ClickHouse answers, an error too, says
 * that it is there, so that no mistake of a caller's and no slow query opens it.
 *
 * While it is open it takes no queries; now and then one who would ask pings first, and closes it with an answer.
 * Nothing is sent to ClickHouse unless somebody asks, so that a service which pauses when idle can pause.
 */
export class ServerBreaker {
  private readonly options: Required<ServerBreakerOptions>;
  private readonly runs = new Set<Run>();
  private state: ServerBreakerState = 'closed';
  private failures = 0;
  private cut = 0;
  private readonly opened: Record<OpenReason, number> = { unreachable: 0, stalled: 0 };
  /** When ClickHouse last answered anything. */
  private heardAt = 0;
  private pauseMs: number;
  private openUntil = 0;
  /** The ping of the one request that tries. */
  private trial = false;
  private cancelCheck: (() => void) | undefined;

  constructor(options: ServerBreakerOptions) {
    this.options = { setTimer: setRealTimer, ...DEFAULTS, ...options };
    this.pauseMs = this.options.firstPauseMs;
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** Queries that run. */
  get running(): number {
    return this.runs.size;
  }

  get figures(): ServerBreakerFigures {
    const { state, cut, opened } = this;
    return { state, running: this.runs.size, cut, opened: { ...opened } };
  }

  /**
   * Whether ClickHouse is back, to be asked while the watch is open: after the pause one pings, and its answer closes the
   * watch; the others are told no. Never rejects.
   */
  async tryAgain(): Promise<boolean> {
    if (this.trial || this.now() < this.openUntil) return false;
    this.trial = true;
    const isBack = await this.ping();
    this.trial = false;
    if (isBack) this.heard();
    else {
      this.pauseMs = Math.min(this.pauseMs * 2, this.options.maxPauseMs);
      this.openUntil = this.now() + this.pauseMs;
    }
    return isBack;
  }

  /**
   * Watches the queries that run.
   *
   * @throws Failure CLICKHOUSE_UNREACHABLE for one that begins while it is open, and for those that it ends.
   */
  guard<R extends SlotRequest, T>(runQuery: (request: R) => Promise<T>): (request: R) => Promise<T> {
    return async (request) => {
      if (this.state === 'open') throw clickHouseUnreachable('the circuit breaker is open');
      const bound = new LinkedAbort(request.signal);
      const run = { startedAt: this.now(), bound };
      this.begin(run);
      try {
        const result = await runQuery({ ...request, signal: bound.signal });
        this.heard();
        return result;
      } catch (error) {
        if (bound.signal.aborted && !request.signal.aborted) throw bound.signal.reason;
        if (!request.signal.aborted) this.failed(error);
        throw error;
      } finally {
        bound.end();
        this.end(run);
      }
    };
  }

  private failed(error: unknown): void {
    if (!(error instanceof Failure)) return;
    // The gateway's own time limit ends a query too: that says nothing.
    if (error.code === 'QUERY_TIMEOUT') return;
    if (error.code !== 'CLICKHOUSE_UNREACHABLE') {
      this.heard();
      return;
    }
    this.failures += 1;
    if (this.failures >= this.options.failuresToOpen) this.open('unreachable');
  }

  private heard(): void {
    this.heardAt = this.now();
    this.failures = 0;
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.pauseMs = this.options.firstPauseMs;
    this.options.onChange('closed');
  }

  private open(reason: OpenReason): void {
    if (this.state === 'open') return;
    this.state = 'open';
    this.opened[reason] += 1;
    this.openUntil = this.now() + this.pauseMs;
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

  /** Pings when it has been silent for too long while queries ran; goes on checking as long as some run. */
  private async check(current: () => void): Promise<void> {
    const { stallMs } = this.options;
    const hasStalled = this.silentMs() >= stallMs && !(await this.respondsToPing());
    if (hasStalled) {
      this.open('stalled');
      this.endRuns();
    }
    // All may have ended meanwhile, and others have begun with a check of their own.
    if (this.cancelCheck !== current) return;
    this.checkLater(hasStalled ? stallMs : Math.max(1, stallMs - this.silentMs()));
  }

  /** Milliseconds for which queries have run without any answer. */
  private silentMs(): number {
    const [oldest] = this.runs;
    return oldest ? this.now() - Math.max(oldest.startedAt, this.heardAt) : 0;
  }

  private async respondsToPing(): Promise<boolean> {
    for (let tries = 0; tries < PINGS_TO_STALL; tries += 1) {
      const heardAt = this.heardAt;
      const answered = await this.ping();
      if (answered) this.heard();
      if (answered || this.heardAt !== heardAt || this.runs.size === 0) return true;
    }
    return false;
  }

  private endRuns(): void {
    for (const { bound } of this.runs) {
      if (bound.signal.aborted) continue;
      this.cut += 1;
      bound.abort(clickHouseUnreachable('stalled: neither queries nor pings are answered'));
    }
  }

  /** Bounded, whatever the ping does with its signal. */
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

/** The failure of a query that gets no answer of ClickHouse; the diagnosis is for the log. */
export function clickHouseUnreachable(diagnosis: string): Failure {
  return new Failure('CLICKHOUSE_UNREACHABLE', 'ClickHouse does not answer. Try again shortly.', {
    retryAfterSeconds: 1,
    diagnosis,
  });
}
