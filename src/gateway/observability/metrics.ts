import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { CacheStatus } from '../query/call.js';
import type { ConnectionUse, Observed, ReloadOutcomes, ServerUse } from './observed.js';
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

  /** Adds the metrics of reloads, under names that operators of Prometheus know. */
  observeReloads(reloads: ReloadOutcomes): void {
    this.state(
      'last_reload_successful',
      '1 if the last reload found every endpoint file valid.',
      () => reloads.last.ok,
    );
    const help = 'When all endpoints were loaded last; seconds since 1970.';
    this.gauge('last_reload_success_timestamp_seconds', help, [], (gauge) => {
      gauge.set(reloads.lastSuccess.getTime() / 1000);
    });
    const ofRejected =
      'Served endpoints whose query ClickHouse rejects; their calls are 500 ENDPOINT_INVALID.';
    this.gauge('endpoints_rejected', ofRejected, [], (gauge) => {
      gauge.set(reloads.rejected());
    });
  }

  /** Adds the metrics that are read at each scrape. */
  observe({ cacheUse, isRedisOpen, queries, pool }: Observed): void {
    this.gauge('cache_entries', 'Results in the local cache.', ['endpoint'], (gauge) => {
      for (const { endpoint, entries } of cacheUse()) gauge.set({ endpoint }, entries);
    });
    this.gauge('cache_bytes', 'Bytes of the results in the local cache.', ['endpoint'], (gauge) => {
      for (const { endpoint, bytes } of cacheUse()) gauge.set({ endpoint }, bytes);
    });
    this.state('redis_breaker_open', '1 while the circuit breaker of Redis is open.', isRedisOpen);
    this.gauge('queries_running', 'Queries running in ClickHouse.', [], (gauge) => {
      gauge.set(queries().running);
    });
    this.gauge('queries_waiting', 'Queries waiting for a slot.', ['priority'], (gauge) => {
      const { waiting, waitingInteractive } = queries();
      gauge.set({ priority: 'interactive' }, waitingInteractive);
      gauge.set({ priority: 'warming' }, waiting - waitingInteractive);
    });
    this.observePool(pool);
    this.observeServers(pool);
  }

  /** @param requestLog counts of requests that it did not write, since the start. */
  observeRequestLog(requestLog: { readonly dropped: number; readonly skipped: number }): void {
    const dropped = 'Requests missing in gateway_requests because ClickHouse rejected them or was too slow.';
    this.total('request_records_dropped_total', dropped, [], (counter) => {
      counter.inc(requestLog.dropped);
    });
    const skipped = 'Requests without a key missing in gateway_requests, which contains a sample of them.';
    this.total('request_records_skipped_total', skipped, [], (counter) => {
      counter.inc(requestLog.skipped);
    });
  }

  /** @param output that takes the lines of the log. */
  observeLog(output: { readonly lost: number }): void {
    const help = 'Lines of the log that were lost because the reader of standard output was too slow.';
    this.total('log_lines_lost_total', help, [], (counter) => {
      counter.inc(output.lost);
    });
  }

  /** @param connections those of the public API. */
  observeConnections(connections: () => ConnectionUse): void {
    this.gauge('connections', 'Open connections of clients.', [], (gauge) => {
      gauge.set(connections().open.size);
    });
    const help = 'Connections closed because there were more than MAX_CONNECTIONS.';
    this.total('connections_closed_total', help, ['limit'], (counter) => {
      counter.inc({ limit: 'connections' }, connections().closed);
    });
  }

  /** Counts a request that a limit rejected. */
  limitRejected(kind: 'key' | 'endpoint', counted: string): void {
    this.limitRejections.inc({ kind, counted });
  }

  private observePool(pool: Observed['pool']): void {
    this.state(
      'clickhouse_breaker_open',
      '1 while queries are rejected because every ClickHouse server is ejected.',
      () => pool().state === 'open',
    );
    this.gauge('clickhouse_breaker_opened', 'Times that a circuit breaker opened.', ['reason'], (gauge) => {
      for (const reason of ['unreachable', 'stalled'] as const) gauge.set({ reason }, pool().opened[reason]);
    });
    this.gauge('clickhouse_breaker_rejected', 'Queries rejected by open circuit breakers.', [], (gauge) => {
      gauge.set(pool().rejected);
    });
    const cutHelp = 'Running queries cancelled because ClickHouse stalled.';
    this.gauge('clickhouse_queries_cut', cutHelp, [], (gauge) => {
      gauge.set(pool().cancelled);
    });
  }

  /** The label `server` is a configured server. */
  private observeServers(pool: Observed['pool']): void {
    const each =
      (of: (server: ServerUse) => number) =>
      (gauge: Gauge<'server'>): void => {
        for (const server of pool().servers) gauge.set({ server: server.name }, of(server));
      };
    const running = each((server) => server.running);
    const isEjected = each((server) => Number(server.isEjected));
    this.gauge('clickhouse_server_queries_running', 'Queries running on a server.', ['server'], running);
    const ejectedHelp = '1 while a server is ejected: it gets no queries because it does not respond.';
    this.gauge('clickhouse_server_ejected', ejectedHelp, ['server'], isEjected);
    this.total(
      'clickhouse_server_retried_elsewhere_total',
      'Queries retried on another server because this one did not respond.',
      ['server'],
      (counter) => {
        for (const { name, retried } of pool().servers) counter.inc({ server: name }, retried);
      },
    );
  }

  private counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label> {
    return new Counter({ name: `querygate_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** A counter whose value is counted elsewhere. */
  private total<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: (counter: Counter<Label>) => void,
  ): void {
    new Counter({
      name: `querygate_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        read(this);
      },
    });
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

  /** A gauge that is 0 or 1. */
  private state(name: string, help: string, isTrue: () => boolean): void {
    const read = (gauge: Gauge): void => {
      gauge.set(Number(isTrue()));
    };
    this.gauge(name, help, [], read);
  }

  private gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: (gauge: Gauge<Label>) => void,
  ): Gauge<Label> {
    return new Gauge({
      name: `querygate_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        read(this);
      },
    });
  }
}
