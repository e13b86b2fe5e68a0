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

  /** Counts a worker from its start to its end; what the system could not start is none. */
  count({ pid, onExit }: CountedWorker): void {
    if (pid === undefined) return;
    this.starts.inc();
    this.workers.inc();
    onExit(() => {
      this.workers.dec();
    });
  }
}

interface CountedWorker {
  readonly pid: number | undefined;
  readonly onExit: (listener: () => void) => void;
}
