import type { Clock } from '../../src/gateway/query/ports.js';

/** A clock that stands still until a test advances it. It starts at the real time, which Redis uses. */
export class SettableClock {
  private ms = Date.now();

  readonly clock: Clock = () => new Date(this.ms);

  get now(): number {
    return this.ms;
  }

  advance(ms: number): void {
    this.ms += ms;
  }
}
