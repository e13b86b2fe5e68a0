import type { Clock } from '../../src/gateway/query/ports.js';

/** A clock that stands still until a test moves it. */
export class TestClock {
  /** Milliseconds since 1970. */
  milliseconds: number;

  /** @param start ISO 8601. */
  constructor(start = '2026-05-17T10:05:03.000Z') {
    this.milliseconds = Date.parse(start);
  }

  readonly read: Clock = () => new Date(this.milliseconds);

  advance(seconds: number): void {
    this.milliseconds += seconds * 1000;
  }
}
