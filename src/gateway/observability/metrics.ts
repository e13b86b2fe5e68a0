import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { CacheStatus } from '../query/call.js';
import type { Observed } from './observed.js';
import { READ_METRICS, type ReadMetric } from './metric-table.js';
import { ExportMetrics } from './export-metrics.js';
import { PieceMetrics } from './piece-metrics.js';
import { RecentFailures } from './recent-failures.js';

const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds; the warmer looks for due sets once a second. */
const LATENESS_BUCKETS = [1, 2, 5, 10, 30, 60, 300, 900];

/**
 * The gateway's metrics for Prometheus. No label contains a value that a caller can choose: endpoints, statuses and
 * error codes come from fixed lists.
 */
export class Metrics {
  readonly registry = new Registry();
  /** For the admin API; Prometheus stores no single events. */
  readonly failures = new RecentFailures();
  readonly exports = new ExportMetrics(this.registry);
  readonly pieces = new PieceMetrics(this.registry);
  /** Counts the requests that are completed but not counted yet; called at each scrape. */
  reportRequests: () => void = () => undefined;
  private readonly requests = new Counter({
    name: 'querygate_requests_total',
    help: 'Completed requests.',
    labelNames: ['endpoint', 'status', 'cache', 'code'],
    registers: [this.registry],
    collect: () => {
      this.reportRequests();
    },
  });
  private readonly gatewaySeconds = this.histogram(
    'gateway_seconds',
    'Time of requests in the gateway, without the time in ClickHouse.',
  );
  private readonly clickhouseSeconds = this.histogram('clickhouse_seconds', 'Time of queries in ClickHouse.');
  private readonly warmingLateness = this.histogram(
    'warming_lateness_seconds',
    'Time from when the refresh of a cached result was due until it started.',
    LATENESS_BUCKETS,
  );
  private readonly coalesced = this.counter(
    'coalesced_waiters_total',
    'Requests that shared the query of another request, in this process or on another gateway.',
    ['where'],
  );
  private readonly evictions = this.counter(
    'cache_evictions_total',
    'Results evicted from the local cache because it was full.',
    [],
  );
  private readonly versionReads = this.counter(
    'table_version_reads_total',
    'Reads of the versions of tables, for results that are cached until their data changes.',
    [],
  );
  private readonly limitRejections = this.counter('limit_rejections_total', 'Requests rejected by a limit.', [
    'kind',
    'counted',
  ]);
  private readonly warmingRuns = this.counter('warming_refreshes_total', 'Refreshes of cached results.', [
    'endpoint',
    'outcome',
  ]);
  private readonly warmingSeconds = this.counter(
    'warming_clickhouse_seconds_total',
    'Time in ClickHouse for warming.',
    ['endpoint'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts a completed request. An empty code means success, and adds no label. */
  requestCompleted(
    endpoint: string,
    { status, code }: { readonly status: number; readonly code: string },
    cache: CacheStatus | '',
    gatewayMs: number,
    clickhouseMs?: number,
  ): void {
    this.requests.inc({ endpoint, status, cache, ...(code !== '' && { code }) });
    this.gatewaySeconds.observe({ endpoint }, gatewayMs / 1000);
    if (clickhouseMs !== undefined) this.clickhouseSeconds.observe({ endpoint }, clickhouseMs / 1000);
  }

  readonly waiterCoalesced = (where: 'process' | 'gateways'): void => {
    this.coalesced.inc({ where });
  };

  readonly resultEvicted = (): void => {
    this.evictions.inc();
  };

  readonly versionRead = (): void => {
    this.versionReads.inc();
  };

  refreshStarted(endpoint: string, lateMs: number): void {
    this.warmingLateness.observe({ endpoint }, lateMs / 1000);
  }

  refreshed(endpoint: string, outcome: 'ok' | 'failed', clickhouseMs: number): void {
    this.warmingRuns.inc({ endpoint, outcome });
    this.warmingSeconds.inc({ endpoint }, clickhouseMs / 1000);
  }

  /** Adds the metrics of a source, which is read at each scrape. */
  observe<Source extends keyof Observed>(source: Source, read: () => Observed[Source]): void {
    const metrics: Readonly<Record<string, ReadMetric<Observed[Source]>>> = READ_METRICS[source];
    for (const [name, metric] of Object.entries(metrics)) this.add(name, metric, read);
  }

  /** Counts a request that a limit rejected. */
  limitRejected(kind: 'key' | 'endpoint', counted: string): void {
    this.limitRejections.inc({ kind, counted });
  }

  private counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label> {
    return new Counter({ name: `querygate_${name}`, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets = SECONDS_BUCKETS): Histogram<'endpoint'> {
    return new Histogram({
      name: `querygate_${name}`,
      help,
      labelNames: ['endpoint'],
      buckets,
      registers: [this.registry],
    });
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
