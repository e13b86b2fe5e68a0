import type { Clock } from '../../src/query/ports.js';

/** A clock that stands still until it is told to go on; it starts at the real time, which a Redis goes by. */
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
