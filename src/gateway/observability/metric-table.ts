import type { Observed } from './observed.js';

/*
 * Every metric of the gateway: its name without `querygate_`, its help, and its labels. No label contains a value that a caller
 * can choose: endpoints, statuses and error codes come from fixed lists.
 */

const counter = <Label extends string = never>(
  help: string,
  ...labels: readonly Label[]
): { readonly help: string; readonly labels: readonly Label[] } => ({ help, labels });

/** Metrics that are counted as events occur. */
export const COUNTERS = {
  requests_total: counter('Completed requests.', 'endpoint', 'status', 'cache', 'code'),
  coalesced_waiters_total: counter(
    'Requests that shared the query of another request, in this process or on another gateway.',
    'where',
  ),
  cache_evictions_total: counter('Results evicted from the local cache because it was full.'),
  table_version_reads_total: counter(
    'Reads of the versions of tables, for results that are cached until their data changes.',
  ),
  limit_rejections_total: counter('Requests rejected by a limit.', 'kind', 'counted'),
  warming_refreshes_total: counter('Refreshes of cached results.', 'endpoint', 'outcome'),
  warming_clickhouse_seconds_total: counter('Time in ClickHouse for warming.', 'endpoint'),
  export_rows_total: counter('Rows of complete exports.', 'endpoint'),
  export_bytes_total: counter('Bytes of complete exports, before compression.', 'endpoint'),
  pieces_total: counter('Pieces of composed results, kept ones and queried ones.', 'endpoint', 'from'),
  pieces_saved_rows_total: counter('Rows that kept pieces did not read again.', 'endpoint'),
  pieces_saved_bytes_total: counter('Bytes that kept pieces did not read again.', 'endpoint'),
  pieces_verifications_total: counter('Comparisons of kept pieces with one query.', 'endpoint', 'outcome'),
};

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Histograms of seconds by endpoint: help text and buckets. */
export const HISTOGRAMS = {
  gateway_seconds: ['Time of requests in the gateway, without the time in ClickHouse.', SECONDS],
  clickhouse_seconds: ['Time of queries in ClickHouse.', SECONDS],
  warming_lateness_seconds: [
    'Time from when the refresh of a cached result was due until it started.',
    // The warmer looks for due sets once a second.
    [1, 2, 5, 10, 30, 60, 300, 900],
  ],
  export_seconds: [
    'Time of complete exports, with their transfer to the caller.',
    [0.1, 1, 10, 30, 60, 300, 900, 3600],
  ],
} satisfies Readonly<Record<string, readonly [help: string, buckets: number[]]>>;

/** A metric that is read at each scrape: one value, or one for each value of its label. */
export interface ReadMetric<Source> {
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly read: (source: Source) => number | boolean | readonly (readonly [string, number | boolean])[];
  readonly label?: string | undefined;
}

const readAs =
  (kind: ReadMetric<never>['kind']) =>
  <Source>(help: string, read: ReadMetric<Source>['read'], label?: string): ReadMetric<Source> => ({
    ...{ kind, help, read, label },
  });
const gauge = readAs('gauge');
/** A counter that is counted elsewhere and read at each scrape. */
const total = readAs('counter');

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Metrics that are read at each scrape, by their source. */
export const READ_METRICS: {
  readonly [Source in keyof Observed]: Readonly<Record<string, ReadMetric<Observed[Source]>>>;
} = {
  cacheUse: {
    cache_entries: gauge(
      'Results in the local cache.',
      (use) => use.map(({ endpoint, entries }) => [endpoint, entries]),
      'endpoint',
    ),
    cache_bytes: gauge(
      'Bytes of the results in the local cache.',
      (use) => use.map(({ endpoint, bytes }) => [endpoint, bytes]),
      'endpoint',
    ),
  },
  redis: {
    redis_breaker_open: gauge(
      '1 while the circuit breaker of Redis is open.',
      (state) => state === 'circuit open',
    ),
    redis_rejecting: gauge(
      '1 while Redis rejects commands, as a full one and a replica do.',
      (state) => state === 'rejects commands',
    ),
  },
  queries: {
    queries_running: gauge('Queries running in ClickHouse.', ({ running }) => running),
    queries_waiting: gauge(
      'Queries waiting for a slot.',
      ({ waiting, waitingInteractive }) => [
        ['interactive', waitingInteractive],
        ['warming', waiting - waitingInteractive],
      ],
      'priority',
    ),
  },
  exports: {
    exports_running: gauge('Exports running.', ({ running }) => running),
    exports_waiting: gauge('Exports waiting for a slot.', ({ waiting }) => waiting),
  },
  statements: {
    statements_running: gauge('Statements over tables running.', ({ running }) => running),
    statements_waiting: gauge('Statements over tables waiting for a slot.', ({ waiting }) => waiting),
  },
  pool: {
    clickhouse_breaker_open: gauge(
      '1 while queries are rejected because every ClickHouse server is ejected.',
      ({ state }) => state === 'open',
    ),
    clickhouse_breaker_opened: gauge(
      'Times that a circuit breaker opened.',
      ({ opened }) => Object.entries(opened),
      'reason',
    ),
    clickhouse_breaker_rejected: gauge(
      'Queries rejected by open circuit breakers.',
      ({ rejected }) => rejected,
    ),
    clickhouse_queries_cut: gauge(
      'Running queries cancelled because ClickHouse stalled.',
      ({ cancelled }) => cancelled,
    ),
    clickhouse_server_queries_running: gauge(
      'Queries running on a server.',
      ({ servers }) => servers.map(({ name, running }) => [name, running]),
      'server',
    ),
    clickhouse_server_ejected: gauge(
      '1 while a server is ejected: it gets no queries because it does not respond.',
      ({ servers }) => servers.map(({ name, isEjected }) => [name, isEjected]),
      'server',
    ),
    clickhouse_server_retried_elsewhere_total: total(
      'Queries retried on another server because this one did not respond.',
      ({ servers }) => servers.map(({ name, retried }) => [name, retried]),
      'server',
    ),
  },
  reloads: {
    last_reload_successful: gauge(
      '1 if the last reload found every endpoint file valid.',
      ({ last }) => last.ok,
    ),
    last_reload_success_timestamp_seconds: gauge(
      'When all endpoints were loaded last; seconds since 1970.',
      ({ lastSuccess }) => lastSuccess.getTime() / 1000,
    ),
    endpoints_rejected: gauge(
      'Served endpoints whose query ClickHouse rejects; their calls are 500 ENDPOINT_INVALID.',
      ({ rejected }) => rejected(),
    ),
  },
  requestLog: {
    request_records_dropped_total: total(
      'Requests missing in gateway_requests because ClickHouse rejected them or was too slow.',
      ({ dropped }) => dropped,
    ),
    request_records_skipped_total: total(
      'Requests without a key missing in gateway_requests, which contains a sample of them.',
      ({ skipped }) => skipped,
    ),
  },
  log: {
    log_lines_lost_total: total(
      'Lines of the log that were lost because the reader of standard output was too slow.',
      ({ lost }) => lost,
    ),
  },
  connections: {
    connections: gauge('Open connections of clients.', (all) => sum(all.map(({ open }) => open.size))),
    connections_closed_total: total(
      'Connections closed because there were more than MAX_CONNECTIONS.',
      (all) => [['connections', sum(all.map(({ closed }) => closed))]],
      'limit',
    ),
  },
};
