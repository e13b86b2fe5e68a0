import { Counter, Histogram, type Registry } from 'prom-client';

/** A complete export. */
export interface CompletedExport {
  readonly endpoint: string;
  /** 0 for a format that does not count them. */
  readonly rows: number;
  /** Before compression. */
  readonly bytes: number;
  /** With the transfer to the caller. */
  readonly ms: number;
}

/** Seconds. */
const BUCKETS = [0.1, 1, 10, 30, 60, 300, 900, 3600];

/** The metrics of exports. Failed ones are in the count of requests. */
export class ExportMetrics {
  private readonly rows: Counter<'endpoint'>;
  private readonly bytes: Counter<'endpoint'>;
  private readonly seconds: Histogram<'endpoint'>;

  constructor(registry: Registry) {
    const labelled = { labelNames: ['endpoint'] as const, registers: [registry] };
    this.rows = new Counter({
      name: 'querygate_export_rows_total',
      help: 'Rows of complete exports.',
      ...labelled,
    });
    this.bytes = new Counter({
      name: 'querygate_export_bytes_total',
      help: 'Bytes of complete exports, before compression.',
      ...labelled,
    });
    this.seconds = new Histogram({
      name: 'querygate_export_seconds',
      help: 'Time of complete exports, with their transfer to the caller.',
      buckets: BUCKETS,
      ...labelled,
    });
  }

  readonly completed = ({ endpoint, rows, bytes, ms }: CompletedExport): void => {
    this.rows.inc({ endpoint }, rows);
    this.bytes.inc({ endpoint }, bytes);
    this.seconds.observe({ endpoint }, ms / 1000);
  };
}
