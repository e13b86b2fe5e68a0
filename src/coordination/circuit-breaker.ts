import type { Clock } from '../query/ports.js';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  /** Milliseconds for which it stays open before one call may try again; doubled each time, up to the maximum. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  readonly clock: Clock;
  /** Told once a change. */
  readonly onChange: (state: BreakerState) => void;
}

export type BreakerState = 'closed' | 'open';

/**
 * Lets go of a dependency that fails: after some failures in a row nobody asks it for a while, then one call tries,
 * and its success closes the breaker again.
 */
export class CircuitBreaker {
  private failures = 0;
  private pauseMs: number;
  private openUntil = 0;
  private current: BreakerState = 'closed';
  private trying = false;

  constructor(private readonly options: BreakerOptions) {
    this.pauseMs = options.firstPauseMs;
  }

  get state(): BreakerState {
    return this.current;
  }

  /** Runs a call, or gives undefined without running it while the breaker is open. A failure gives undefined too. */
  async run<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (!this.admits()) return undefined;
    const isTrial = this.current === 'open';
    if (isTrial) this.trying = true;
    try {
      const result = await call();
      this.succeeded();
      return result;
    } catch {
      this.failed(isTrial);
      return undefined;
    } finally {
      if (isTrial) this.trying = false;
    }
  }

  private admits(): boolean {
    if (this.current === 'closed') return true;
    return !this.trying && this.now() >= this.openUntil;
  }

  private succeeded(): void {
    this.failures = 0;
    this.pauseMs = this.options.firstPauseMs;
    this.change('closed');
  }

  private failed(isTrial: boolean): void {
    // A call from before it opened says nothing new, and many such calls must not add up to the longest pause.
    if (this.current === 'open' && !isTrial) return;
    this.failures += 1;
    if (this.failures < this.options.failuresToOpen) return;
    if (this.current === 'open') this.pauseMs = Math.min(this.pauseMs * 2, this.options.maxPauseMs);
    this.openUntil = this.now() + this.pauseMs;
    this.change('open');
  }

  private change(state: BreakerState): void {
    if (this.current === state) return;
    this.current = state;
    this.options.onChange(state);
  }

  private now(): number {
    return this.options.clock().getTime();
  }
}
