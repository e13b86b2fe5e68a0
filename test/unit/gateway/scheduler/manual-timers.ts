import type { Clock } from '../../../../src/gateway/query/ports.js';
import type { SetTimer } from '../../../../src/gateway/query/signal.js';

/** A clock with timers, which a test advances. */
export class ManualTimers {
  private ms = Date.parse('2026-05-17T10:05:03.000Z');
  private readonly timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  readonly clock: Clock = () => new Date(this.ms);

  readonly setTimer: SetTimer = (callback, milliseconds) => {
    const timer = { at: this.ms + milliseconds, callback };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  };

  /** Number of active timers. */
  get size(): number {
    return this.timers.size;
  }

  /** Advances the clock; runs pending promise callbacks after each due timer. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.ms + milliseconds;
    for (;;) {
      await settled();
      const [next] = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.ms = Math.max(this.ms, next.at);
      this.timers.delete(next);
      next.callback();
    }
    this.ms = end;
    await settled();
  }
}

/** Resolves when all pending promise callbacks have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
