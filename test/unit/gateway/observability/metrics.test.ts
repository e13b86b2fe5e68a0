import { Metrics } from '../../../../src/gateway/observability/metrics.js';
import type { CacheUse } from '../../../../src/gateway/observability/observed.js';
import { metricSamples } from '../../../support/metric-samples.js';

const OK = { status: 200, code: '' };

/** The gateway's own samples, as `name{labels} value`. */
async function samplesOf(metrics: Metrics): Promise<readonly string[]> {
  const samples = metricSamples(await metrics.registry.metrics());
  return samples
    .filter(({ name }) => name.startsWith('querygate_'))
    .map(({ name, labels, value }) => `${name.slice(10)} ${Object.values(labels).join(' ')} = ${value}`);
}

describe('Metrics', () => {
  it('counts requests by endpoint, status, cache status and error code', async () => {
    const metrics = new Metrics();
    metrics.requestCompleted('logs.all', OK, 'BYPASS', 5, 100);
    metrics.requestCompleted('logs.all', OK, 'BYPASS', 5, 100);
    metrics.requestCompleted('', { status: 404, code: 'NOT_FOUND' }, '', 1);
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining([
        'requests_total logs.all 200 BYPASS = 2',
        'requests_total  404  NOT_FOUND = 1',
      ]),
    );
  });

  it('records durations in seconds, and ClickHouse durations only for requests that ran a query', async () => {
    const metrics = new Metrics();
    metrics.requestCompleted('a', OK, 'MISS', 5, 2000);
    metrics.requestCompleted('a', OK, 'HIT', 5);
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining([
        'gateway_seconds_sum a = 0.01',
        'gateway_seconds_count a = 2',
        'clickhouse_seconds_sum a = 2',
        'clickhouse_seconds_count a = 1',
      ]),
    );
  });

  it('counts the requests that the request log dropped and skipped', async () => {
    const metrics = new Metrics();
    const requestLog = { dropped: 3, skipped: 4 };
    metrics.observe('requestLog', () => requestLog);
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining(['request_records_dropped_total  = 3', 'request_records_skipped_total  = 4']),
    );
    Object.assign(requestLog, { dropped: 5, skipped: 6 });
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining(['request_records_dropped_total  = 5', 'request_records_skipped_total  = 6']),
    );
  });

  it('counts open connections, and connections that a limit closed', async () => {
    const metrics = new Metrics();
    metrics.observe('connections', () => [
      { open: { size: 7 }, closed: 2 },
      { open: { size: 1 }, closed: 1 },
    ]);
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining(['connections  = 8', 'connections_closed_total connections = 3']),
    );
  });

  it('reads the gauges of cache, queue and servers at each scrape', async () => {
    const metrics = new Metrics();
    let use: CacheUse = { endpoint: 'a', entries: 1, bytes: 10 };
    metrics.observe('cacheUse', () => [use]);
    metrics.observe('redis', () => 'circuit open');
    metrics.observe('queries', () => ({ running: 3, waiting: 5, waitingInteractive: 4 }));
    metrics.observe('pool', () => ({
      ...{ state: 'open', rejected: 7, cancelled: 2, opened: { unreachable: 1, stalled: 0 } },
      servers: [{ name: 'a:8123', running: 2, isEjected: true, retried: 4 }],
    }));
    for (const entries of [1, 2, 0]) {
      use = { endpoint: 'a', entries, bytes: 10 * entries };
      expect(await samplesOf(metrics)).toEqual(
        expect.arrayContaining([
          `cache_entries a = ${entries}`,
          `cache_bytes a = ${10 * entries}`,
          'redis_breaker_open  = 1',
          'queries_running  = 3',
          'queries_waiting interactive = 4',
          'queries_waiting warming = 1',
          'clickhouse_breaker_open  = 1',
          'clickhouse_server_queries_running a:8123 = 2',
          'clickhouse_server_ejected a:8123 = 1',
          'clickhouse_server_retried_elsewhere_total a:8123 = 4',
          'clickhouse_breaker_opened unreachable = 1',
        ]),
      );
    }
  });

  it('counts coalesced requests, evictions, and refreshes with their cost', async () => {
    const metrics = new Metrics();
    metrics.count('coalesced_waiters_total', { where: 'process' });
    metrics.count('coalesced_waiters_total', { where: 'gateways' });
    metrics.count('cache_evictions_total', {});
    metrics.refreshed('a', 'ok', 500);
    metrics.refreshed('a', 'failed', 1500);
    expect(await samplesOf(metrics)).toEqual(
      expect.arrayContaining([
        'coalesced_waiters_total process = 1',
        'coalesced_waiters_total gateways = 1',
        'cache_evictions_total  = 1',
        'warming_refreshes_total a ok = 1',
        'warming_refreshes_total a failed = 1',
        'warming_clickhouse_seconds_total a = 2',
      ]),
    );
  });
});
