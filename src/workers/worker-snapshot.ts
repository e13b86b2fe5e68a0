import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';

import type { FailureSeen, Snapshot } from '../admin/operator-view.js';
import type { HitCounts } from '../execution/hit-counts.js';

/** A metric with its values, as it travels between processes. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** What one worker tells of itself. Plain data. */
export interface WorkerSnapshot extends Snapshot {
  readonly metrics: readonly MetricValues[];
}

/** What is kept of failures, of all workers together. */
const KEPT_FAILURES = 200;

export const EMPTY_SNAPSHOT: WorkerSnapshot = {
  cacheUse: new Map(),
  hits: new Map(),
  keyUse: new Map(),
  failures: [],
  metrics: [],
};

/** Several workers as one. */
export function mergeSnapshots(snapshots: readonly WorkerSnapshot[]): WorkerSnapshot {
  return {
    cacheUse: mergeMaps(
      snapshots.map(({ cacheUse }) => cacheUse),
      (a, b) => ({ entries: a.entries + b.entries, bytes: a.bytes + b.bytes }),
    ),
    hits: mergeMaps(
      snapshots.map(({ hits }) => hits),
      addHits,
    ),
    keyUse: mergeMaps(
      snapshots.map(({ keyUse }) => keyUse),
      (a, b) => (a > b ? a : b),
    ),
    failures: newestFirst(snapshots.flatMap(({ failures }) => failures)),
    metrics: mergeMetrics(snapshots.map(({ metrics }) => metrics)),
  };
}

/**
 * What stays of a worker that has gone: all that was counted, so that no counter of the gateway ever falls; and nothing
 * of what it held.
 */
export function withoutHoldings(snapshot: WorkerSnapshot): WorkerSnapshot {
  const counted = snapshot.metrics.filter(({ type }) => COUNTED_TYPES.has(String(type)));
  return { ...snapshot, cacheUse: new Map(), metrics: counted };
}

/** prom-client's declaration has the types as an enum, its values are words. */
const COUNTED_TYPES: ReadonlySet<string> = new Set(['counter', 'histogram']);

function mergeMetrics(metrics: readonly (readonly MetricValues[])[]): readonly MetricValues[] {
  const merged = aggregate(metrics);
  // What prom-client gives has functions too, which no message can carry.
  return merged.getMetricsAsArray().map((metric) => {
    const { name, help, type, aggregator, values } = metric as MetricValues;
    return { name, help, type, aggregator, values } as MetricValues;
  });
}

/** In Prometheus' text form. */
export function metricsText(snapshots: readonly WorkerSnapshot[]): Promise<string> {
  return aggregate(snapshots.map(({ metrics }) => metrics)).metrics();
}

function aggregate(metrics: readonly (readonly MetricValues[])[]): Registry {
  return AggregatorRegistry.aggregate(metrics.map((values) => values.map(worstOf)));
}

/**
 * Of several processes the worst, where prom-client takes the mean: of the lag of their event loops, in which one that
 * hangs would be hidden by the others, and by the primary, which has little to do.
 */
function worstOf(metric: MetricValues): MetricValues {
  return metric.aggregator === 'average' ? { ...metric, aggregator: 'max' } : metric;
}

function mergeMaps<Value>(
  maps: readonly ReadonlyMap<string, Value>[],
  merge: (a: Value, b: Value) => Value,
): ReadonlyMap<string, Value> {
  const merged = new Map<string, Value>();
  for (const [name, value] of maps.flatMap((map) => [...map])) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? value : merge(known, value));
  }
  return merged;
}

function addHits(a: Readonly<HitCounts>, b: Readonly<HitCounts>): HitCounts {
  return {
    HIT: a.HIT + b.HIT,
    MISS: a.MISS + b.MISS,
    STALE: a.STALE + b.STALE,
    BYPASS: a.BYPASS + b.BYPASS,
    farHits: a.farHits + b.farHits,
  };
}

function newestFirst(failures: readonly FailureSeen[]): readonly FailureSeen[] {
  return failures.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, KEPT_FAILURES);
}
