import { serialize, deserialize } from 'node:v8';

import { Metrics } from '../../../src/metrics/metrics.js';
import { Snapshots } from '../../../src/workers/snapshots.js';
import {
  EMPTY_SNAPSHOT,
  mergeSnapshots,
  metricsText,
  type WorkerSnapshot,
} from '../../../src/workers/worker-snapshot.js';
import { metricSamples } from '../../support/metric-samples.js';

/** A worker that answered so many requests, holds so many answers, and warms or does not. */
async function workerWith(requests: number, entries: number, isLeader: boolean): Promise<WorkerSnapshot> {
  const metrics = new Metrics();
  for (let n = 0; n < requests; n += 1) metrics.answered('a', { status: 200, code: '' }, 'HIT', 5);
  metrics.observe({
    cacheUse: () => [{ endpoint: 'a', entries, bytes: 10 * entries }],
    isRedisOpen: () => false,
    isLeader: () => isLeader,
    queries: () => ({ running: 1, waiting: 0, waitingInteractive: 0 }),
    pool: () => ({
      state: 'closed',
      refused: 0,
      cut: 0,
      opened: { unreachable: 0, stalled: 0 },
      servers: [{ name: 'clickhouse:8123', running: 1, isSetAside: false, retried: 0 }],
    }),
  });
  const snapshot: WorkerSnapshot = {
    ...EMPTY_SNAPSHOT,
    cacheUse: new Map([['a', { entries, bytes: 10 * entries }]]),
    hits: new Map([['a', { HIT: requests, MISS: 1, STALE: 0, BYPASS: 0, farHits: 0 }]]),
    keyUse: new Map([['k', `2026-01-0${requests}T00:00:00Z`]]),
    failures: [{ time: `2026-01-0${requests}T00:00:00Z` }],
    metrics: await metrics.registry.getMetricsAsJSON(),
  };
  // As it comes out of a message.
  return deserialize(serialize(snapshot)) as WorkerSnapshot;
}

async function valueOf(snapshots: readonly WorkerSnapshot[], name: string): Promise<number | undefined> {
  const samples = metricSamples(await metricsText(snapshots));
  return samples.find((sample) => sample.name === `querygate_${name}`)?.value;
}

describe('the snapshots of several workers', () => {
  it('are one: counts and holdings are added, states are so where one is, the newest comes first', async () => {
    const both = [await workerWith(3, 5, false), await workerWith(4, 7, true)];
    const names = [
      'requests_total',
      'gateway_seconds_count',
      'cache_entries',
      'warming_leader',
      'queries_running',
    ];
    expect(await Promise.all(names.map((name) => valueOf(both, name)))).toEqual([7, 7, 12, 1, 2]);
    const merged = mergeSnapshots(both);
    expect(merged.cacheUse.get('a')).toEqual({ entries: 12, bytes: 120 });
    expect(merged.hits.get('a')).toMatchObject({ HIT: 7, MISS: 2 });
    expect(merged.keyUse.get('k')).toBe('2026-01-04T00:00:00Z');
    expect(merged.failures.map(({ time }) => time)).toEqual(['2026-01-04T00:00:00Z', '2026-01-03T00:00:00Z']);
  });

  it('tell the lag of the slowest event loop, its minimum of the fastest one, and the memory of all', async () => {
    const lags = ['', '_mean', '_stddev', '_p50', '_p90', '_p99', '_max', '_min'].map(
      (kind) => `nodejs_eventloop_lag${kind}_seconds`,
    );
    const names = [...lags, 'process_resident_memory_bytes'];
    const process = async (value: number): Promise<WorkerSnapshot> => {
      const metrics = await new Metrics().registry.getMetricsAsJSON();
      const told = metrics.filter(({ name }) => names.includes(name));
      return {
        ...EMPTY_SNAPSHOT,
        metrics: told.map((metric) => ({ ...metric, values: [{ value, labels: {} }] })),
      };
    };
    const samples = metricSamples(
      await metricsText([await process(0.25), await process(4), await process(0.5)]),
    );
    expect(Object.fromEntries(samples.map(({ name, value }) => [name, value]))).toEqual({
      ...Object.fromEntries(lags.map((name) => [name, name.includes('_min_') ? 0.25 : 4])),
      process_resident_memory_bytes: 4.75,
    });
  });

  it('keep what workers counted that have gone, and nothing of what they held', async () => {
    const snapshots = new Snapshots<string>();
    for (const [index, member] of ['one', 'two', 'three'].entries()) {
      snapshots.note(member, await workerWith(index + 1, 5, true));
    }
    snapshots.leave('one');
    snapshots.leave('three');
    const left = deserialize(serialize(snapshots.all())) as readonly WorkerSnapshot[];
    expect(await valueOf(left, 'requests_total')).toBe(6);
    expect(await valueOf(left, 'gateway_seconds_count')).toBe(6);
    expect(await valueOf(left, 'cache_entries')).toBe(5);
    expect(mergeSnapshots(left).hits.get('a')).toMatchObject({ HIT: 6, MISS: 3 });
    expect(mergeSnapshots(left).cacheUse.get('a')).toEqual({ entries: 5, bytes: 50 });
  });
});
