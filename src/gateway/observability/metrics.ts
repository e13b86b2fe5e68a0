import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { CacheStatus } from '../query/call.js';
import type { PiecesOfResult } from '../query/endpoint-result.js';
import { COUNTERS, HISTOGRAMS, READ_METRICS, type ReadMetric } from './metric-table.js';
import type { Observed } from './observed.js';
import { RecentFailures } from './recent-failures.js';
import { SummedHistogram } from './summed-histogram.js';

type CounterName = keyof typeof COUNTERS;
type HistogramName = keyof typeof HISTOGRAMS;
type Labels<Name extends CounterName> = Readonly<
  Partial<Record<(typeof COUNTERS)[Name]['labels'][number], string | number>>
>;

/** A complete export. */
interface CompletedExport {
  readonly endpoint: string;
  /** Number of rows; 0 for a format whose rows are not counted. */
  readonly rows: number;
  /** Bytes before compression. */
  readonly bytes: number;
  /** Milliseconds in total, including the transfer to the caller. */
  readonly ms: number;
}

/** The gateway's metrics for Prometheus. */
export class Metrics {
  readonly registry = new Registry();
  /** The latest failures, for the admin API: Prometheus stores no single events. */
  readonly failures = new RecentFailures();
  /** Counts the requests that are completed but not counted yet; called at each scrape. */
  reportRequests: () => void = () => undefined;
  private readonly counters = new Map<string, Counter>();
  private readonly histograms = new Map<string, SummedHistogram>();
  /** Requests since the last scrape, by their labels: prom-client would join and compare the labels of each request. */
  private readonly requests = new Map<string, { readonly labels: Labels<'requests_total'>; count: number }>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    const collect = (): void => {
      this.reportRequests();
      for (const { labels, count } of this.requests.values()) this.count('requests_total', labels, count);
      this.requests.clear();
    };
    const registers = [this.registry];
    for (const [name, { help, labels }] of Object.entries(COUNTERS))
      this.counters.set(
        name,
        new Counter({ name: full(name), help, labelNames: labels, registers, collect }),
      );
    for (const [name, [help, buckets]] of Object.entries(HISTOGRAMS))
      this.histograms.set(name, new SummedHistogram(this.registry, { name: full(name), help, buckets }));
  }

  count<Name extends CounterName>(name: Name, labels: Labels<Name>, by = 1): void {
    this.counters.get(name)?.inc(labels, by);
  }

  time(name: HistogramName, endpoint: string, ms: number): void {
    this.histograms.get(name)?.observe(endpoint, ms / 1000);
  }

  /** Adds the metrics of a source, which is read at each scrape. */
  observe<Source extends keyof Observed>(source: Source, read: () => Observed[Source]): void {
    const metrics: Readonly<Record<string, ReadMetric<Observed[Source]>>> = READ_METRICS[source];
    for (const [name, metric] of Object.entries(metrics)) this.add(name, metric, read);
  }

  /** Counts a completed request. An empty code means success, and adds no label. */
  requestCompleted(
    endpoint: string,
    { status, code }: { readonly status: number; readonly code: string },
    cache: CacheStatus | '',
    gatewayMs: number,
    clickhouseMs?: number,
  ): void {
    const name = `${endpoint} ${status} ${cache} ${code}`;
    const known = this.requests.get(name);
    if (known) known.count += 1;
    else {
      const labels = { endpoint, status, cache, ...(code !== '' && { code }) };
      this.requests.set(name, { labels, count: 1 });
    }
    this.time('gateway_seconds', endpoint, gatewayMs);
    if (clickhouseMs !== undefined) this.time('clickhouse_seconds', endpoint, clickhouseMs);
  }

  /** Counts a complete export; failed ones are in the count of requests. */
  readonly exported = ({ endpoint, rows, bytes, ms }: CompletedExport): void => {
    this.count('export_rows_total', { endpoint }, rows);
    this.count('export_bytes_total', { endpoint }, bytes);
    this.time('export_seconds', endpoint, ms);
  };

  /** @param saved what the queries of the cached pieces had cost */
  composed(endpoint: string, { kept, of }: PiecesOfResult, saved: QueryCost): void {
    this.count('pieces_total', { endpoint, from: 'cache' }, kept);
    this.count('pieces_total', { endpoint, from: 'clickhouse' }, of - kept);
    this.count('pieces_saved_rows_total', { endpoint }, saved.rowsRead);
    this.count('pieces_saved_bytes_total', { endpoint }, saved.bytesRead);
  }

  refreshed(endpoint: string, outcome: 'ok' | 'failed', clickhouseMs: number): void {
    this.count('warming_refreshes_total', { endpoint, outcome });
    this.count('warming_clickhouse_seconds_total', { endpoint }, clickhouseMs / 1000);
  }

  private add<Source>(
    name: string,
    { kind, help, label, read }: ReadMetric<Source>,
    source: () => Source,
  ): void {
    const labelNames = label === undefined ? [] : [label];
    const collect = (): void => {
      metric.reset();
      const values = read(source());
      const samples = typeof values === 'object' ? values : [['', values] as const];
      for (const [of, value] of samples)
        metric.inc(label === undefined ? {} : { [label]: of }, Number(value));
    };
    const options = { name: full(name), help, labelNames, registers: [this.registry], collect };
    const metric = kind === 'gauge' ? new Gauge(options) : new Counter(options);
  }
}

const full = (name: string): string => `querygate_${name}`;
