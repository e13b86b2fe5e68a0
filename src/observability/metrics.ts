import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { CacheStatus } from '../query/call.js';
import { RecentFailures } from './recent-failures.js';

/** What the cache holds now, by endpoint name. */
export interface CacheUse {
  readonly endpoint: string;
  readonly entries: number;
  readonly bytes: number;
}

/** The connections of callers now, and those that were closed since the start. */
export interface ConnectionUse {
  readonly open: { readonly size: number };
  readonly closed: Readonly<Record<'connections' | 'bytes', number>>;
}

/** What a ClickHouse server is doing now, by its host and port. */
export interface ServerUse {
  readonly name: string;
  readonly running: number;
  readonly isEjected: boolean;
  readonly retried: number;
}

/** What is read when somebody looks, not counted as it happens. */
export interface Observed {
  readonly cacheUse: () => readonly CacheUse[];
  readonly isRedisOpen: () => boolean;
  readonly isLeader: () => boolean;
  readonly queries: () => {
    readonly running: number;
    readonly waiting: number;
    readonly waitingInteractive: number;
  };
  readonly pool: () => {
    /** Open where no server is left. */
    readonly state: 'open' | 'closed';
    readonly rejected: number;
    readonly cut: number;
    readonly opened: Readonly<Record<'unreachable' | 'stalled', number>>;
    readonly servers: readonly ServerUse[];
  };
}

const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The worker looks once a second for what is due. */
const LATENESS_BUCKETS = [1, 2, 5, 10, 30, 60, 300, 900];

/**
 * The gateway's metrics in Prometheus' form. No label takes a value that a caller can invent: endpoints are those that
 * there are, statuses those that the gateway answers, codes those of its errors.
 */
export class Metrics {
  readonly registry = new Registry();
  /** What Prometheus has no place for. */
  readonly failures = new RecentFailures();
  private readonly requests = this.counter('requests_total', 'Requests answered.', [
    'endpoint',
    'status',
    'cache',
    'code',
  ]);
  private readonly gatewaySeconds = this.histogram(
    'gateway_seconds',
    'Time in the gateway, without ClickHouse.',
  );
  private readonly clickhouseSeconds = this.histogram('clickhouse_seconds', 'Time of queries in ClickHouse.');
  private readonly warmingLateness = this.histogram(
    'warming_lateness_seconds',
    'Time from when a cached result was due to be refreshed until its refresh started.',
    LATENESS_BUCKETS,
  );
  private readonly coalesced = this.counter(
    'coalesced_waiters_total',
    'Requests that shared a query of another: in this process, or of another gateway.',
    ['where'],
  );
  private readonly evictions = this.counter(
    'cache_evictions_total',
    'Answers that had to go for others.',
    [],
  );
  private readonly limitRejections = this.counter('limit_refusals_total', 'Requests that a limit refused.', [
    'kind',
    'counted',
  ]);
  private readonly warmingRuns = this.counter('warming_refreshes_total', 'Refreshes.', [
    'endpoint',
    'outcome',
  ]);
  private readonly warmingSeconds = this.counter(
    'warming_clickhouse_seconds_total',
    'Time in ClickHouse spent on warming.',
    ['endpoint'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Notes a request that was answered; an empty code is that of no failure, and has no label. */
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

  refreshStarted(endpoint: string, lateMs: number): void {
    this.warmingLateness.observe({ endpoint }, lateMs / 1000);
  }

  refreshed(endpoint: string, outcome: 'ok' | 'failed', clickhouseMs: number): void {
    this.warmingRuns.inc({ endpoint, outcome });
    this.warmingSeconds.inc({ endpoint }, clickhouseMs / 1000);
  }

  /** Adds what is read at each look. */
  observe({ cacheUse, isRedisOpen, isLeader, queries, pool }: Observed): void {
    this.gauge('cache_entries', 'Answers kept in the process.', ['endpoint'], (gauge) => {
      for (const { endpoint, entries } of cacheUse()) gauge.set({ endpoint }, entries);
    });
    this.gauge('cache_bytes', 'Bytes of the answers kept in the process.', ['endpoint'], (gauge) => {
      for (const { endpoint, bytes } of cacheUse()) gauge.set({ endpoint }, bytes);
    });
    this.state('redis_breaker_open', '1 while Redis is let alone.', isRedisOpen);
    this.state('warming_leader', '1 where this gateway warms.', isLeader);
    this.gauge('queries_running', 'Queries that run in ClickHouse.', [], (gauge) => {
      gauge.set(queries().running);
    });
    this.gauge('queries_waiting', 'Queries that wait for a place.', ['priority'], (gauge) => {
      const { waiting, waitingInteractive } = queries();
      gauge.set({ priority: 'interactive' }, waitingInteractive);
      gauge.set({ priority: 'warming' }, waiting - waitingInteractive);
    });
    this.observePool(pool);
    this.observeServers(pool);
  }

  /** @param requestLog how many requests it did not write, since the start. */
  observeRequestLog(requestLog: { readonly dropped: number; readonly skipped: number }): void {
    const dropped =
      'Requests that are not in gateway_requests: ClickHouse did not take them, or not in time.';
    this.total('request_records_dropped_total', dropped, [], (counter) => {
      counter.inc(requestLog.dropped);
    });
    const skipped = 'Requests without a key that are not in gateway_requests, which has a sample of them.';
    this.total('request_records_skipped_total', skipped, [], (counter) => {
      counter.inc(requestLog.skipped);
    });
  }

  /** @param connections those of the server that callers reach. */
  observeConnections(connections: () => ConnectionUse): void {
    this.gauge('connections', 'Connections that callers have open.', [], (gauge) => {
      gauge.set(connections().open.size);
    });
    const help = 'Connections closed to bound how many there are, or the bytes of requests without a key.';
    this.total('connections_closed_total', help, ['limit'], (counter) => {
      const { closed } = connections();
      for (const limit of ['connections', 'bytes'] as const) counter.inc({ limit }, closed[limit]);
    });
  }

  /** Counts a request that a limit refused. */
  limitRejected(kind: 'key' | 'endpoint', counted: string): void {
    this.limitRejections.inc({ kind, counted });
  }

  private observePool(pool: Observed['pool']): void {
    this.state(
      'clickhouse_breaker_open',
      '1 while queries are refused, ClickHouse being away.',
      () => pool().state === 'open',
    );
    this.gauge('clickhouse_breaker_opened', 'Times that ClickHouse was found away.', ['reason'], (gauge) => {
      for (const reason of ['unreachable', 'stalled'] as const) gauge.set({ reason }, pool().opened[reason]);
    });
    this.gauge('clickhouse_breaker_refused', 'Queries refused while ClickHouse was away.', [], (gauge) => {
      gauge.set(pool().rejected);
    });
    this.gauge('clickhouse_queries_cut', 'Running queries ended because ClickHouse stalled.', [], (gauge) => {
      gauge.set(pool().cut);
    });
  }

  /** The labels are the servers that are configured. */
  private observeServers(pool: Observed['pool']): void {
    const each =
      (of: (server: ServerUse) => number) =>
      (gauge: Gauge<'server'>): void => {
        for (const server of pool().servers) gauge.set({ server: server.name }, of(server));
      };
    const running = each((server) => server.running);
    const isEjected = each((server) => Number(server.isEjected));
    this.gauge('clickhouse_server_queries_running', 'Queries that run on a server.', ['server'], running);
    const ejectedHelp = '1 while a server gets no queries, being away.';
    this.gauge('clickhouse_server_set_aside', ejectedHelp, ['server'], isEjected);
    this.total(
      'clickhouse_server_retried_elsewhere_total',
      'Queries that a server did not begin to answer, and another was asked.',
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

  /** A counter of what is counted elsewhere. */
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

  /** Something that is so or not. */
  private state(name: string, help: string, isSo: () => boolean): void {
    const read = (gauge: Gauge): void => {
      gauge.set(Number(isSo()));
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
