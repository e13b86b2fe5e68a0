import type { Clock } from '../query/ports.js';

export interface BreakerOptions {
  /** Consecutive failures that open the breaker. */
  readonly failuresToOpen: number;
  /** Time that the breaker stays open before a trial call, in milliseconds. Each failed trial doubles it, up to the maximum. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  readonly clock: Clock;
  /** Called once for each change. */
  readonly onChange: (state: BreakerState) => void;
}

export type BreakerState = 'closed' | 'open';

/**
 * A circuit breaker for a dependency. Consecutive failures open it, and it makes no calls for a while. Then it is half-open: it makes one
 * trial call, whose success closes it. It reports the half-open state as `open`.
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

  /** Makes a call. Returns undefined if the call fails, or without a call while the breaker is open. */
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
    // Calls that started before the breaker opened must not prolong the pause when they fail.
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
