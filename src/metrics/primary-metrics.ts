import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** What the primary of several workers tells of itself, beside its process's own figures. */
export class PrimaryMetrics {
  readonly registry = new Registry();
  private readonly starts = new Counter({
    name: 'querygate_worker_starts_total',
    help: 'Workers that were started, the first ones included.',
    registers: [this.registry],
  });

  private readonly workers = new Gauge({
    name: 'querygate_workers',
    help: 'Processes that serve, those that start or finish their last requests included.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  workerStarted(): void {
    this.starts.inc();
    this.workers.inc();
  }

  workerEnded(): void {
    this.workers.dec();
  }
}
