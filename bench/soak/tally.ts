import { countOne } from '../measuring/print.js';
import { summarise, type Latency } from '../measuring/sampling.js';
import type { Outcome } from './send-request.js';

/** The responses to requests of one kind; times in milliseconds. */
export interface KindFigures extends Latency {
  readonly kind: string;
  readonly requests: number;
  /** Number of responses by status, with `X-Cache` or the problem's code. */
  readonly responses: ReadonlyMap<string, number>;
  readonly slowest: number;
}

/** Maximum number of latencies stored per kind; beyond that, a uniform random sample. */
const MAX_SAMPLES = 100_000;
/** Maximum number of violations stored. */
const MAX_VIOLATIONS = 50;

class Kind {
  requests = 0;
  slowest = 0;
  readonly responses = new Map<string, number>();
  readonly samples: number[] = [];

  add({ status, cache, code, ms }: Outcome): void {
    this.requests += 1;
    countOne(this.responses, [status, cache || code].filter(Boolean).join(' '));
    // The latency of a caller that disconnected on purpose means nothing.
    if (status === 'left') return;
    this.slowest = Math.max(this.slowest, ms);
    const row =
      this.samples.length < MAX_SAMPLES ? this.samples.length : Math.floor(Math.random() * this.requests);
    if (row < MAX_SAMPLES) this.samples[row] = ms;
  }
}

/** Counts responses by kind of request and by phase. */
export class Tally {
  /** The current phase; phases are counted separately. */
  phase = 'all well';
  /** Responses that no fault of ClickHouse explains: missing, late or incomplete ones. */
  readonly violations: string[] = [];
  private readonly kinds = new Map<string, Kind>();
  private readonly phases = new Map<string, Map<string, number>>();

  add(kind: string, outcome: Outcome): void {
    const known = this.kinds.get(kind) ?? new Kind();
    this.kinds.set(kind, known);
    known.add(outcome);
    const phase = this.phases.get(this.phase) ?? new Map<string, number>();
    this.phases.set(this.phase, phase);
    countOne(phase, String(outcome.status));
    const violation = outcome.violation ?? (outcome.status === 'late' ? 'no response in time' : undefined);
    if (violation === undefined || this.violations.length >= MAX_VIOLATIONS) return;
    this.violations.push(`${kind}, ${this.phase}: ${violation} after ${Math.round(outcome.ms)} ms`);
  }

  get requests(): number {
    return [...this.kinds.values()].reduce((sum, { requests }) => sum + requests, 0);
  }

  figures(): readonly KindFigures[] {
    return [...this.kinds].map(([kind, { requests, responses, slowest, samples }]) => {
      return { kind, requests, responses, slowest, ...summarise(samples) };
    });
  }

  /** Number of responses by status during a phase. */
  duringPhase(phase: string): ReadonlyMap<string, number> {
    return this.phases.get(phase) ?? new Map<string, number>();
  }
}
