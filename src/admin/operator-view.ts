import type { HitCounts, HitCounter } from '../execution/hit-counts.js';
import type { Warmer } from '../warming/warmer.js';
import { describeWarming } from './describe-warming.js';

/** What a gateway tells of itself at one look: a process alone, or all of its workers together. Plain data. */
export interface Snapshot {
  /** Of the answers in memory, by endpoint id. */
  readonly cacheUse: ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  /** Since the start, by endpoint id. */
  readonly hits: ReadonlyMap<string, Readonly<HitCounts>>;
  /** ISO time of each key's last use, by name. */
  readonly keyUse: ReadonlyMap<string, string>;
  /** Newest first. */
  readonly failures: readonly FailureSeen[];
}

/** A failure as far as the view has to know it; it tells all that there is. */
export interface FailureSeen {
  /** ISO 8601. */
  readonly time: string;
}

/** Warming, as the operator is told of it. */
export interface WarmingView {
  /** Whether it is done here. */
  readonly leader: boolean;
  readonly sets: readonly Readonly<Record<string, unknown>>[];
}

/** What the operator looks at. */
export interface OperatorView {
  readonly snapshot: () => Promise<Snapshot>;
  /** In Prometheus' text form. */
  readonly metrics: () => Promise<string>;
  readonly warming: () => Promise<WarmingView>;
  /** Refreshes all that is in use. */
  readonly warm: () => Promise<void>;
}

/** A process that is looked at. */
export interface ViewParts {
  readonly cache: {
    readonly memory: { readonly use: () => Snapshot['cacheUse'] };
    readonly isLeader: () => boolean;
  };
  readonly hits: Pick<HitCounter, 'all'>;
  readonly keyUse: { readonly all: () => ReadonlyMap<string, string> };
  readonly metrics: {
    readonly registry: { readonly metrics: () => Promise<string> };
    readonly failures: { readonly all: () => readonly FailureSeen[] };
  };
  readonly warmer: Warmer;
}

/** The view of this process alone. */
export function viewOfProcess(parts: ViewParts): OperatorView {
  const { cache, metrics, warmer } = parts;
  return {
    snapshot: () => Promise.resolve(snapshotOf(parts)),
    metrics: () => metrics.registry.metrics(),
    warming: async () => ({ leader: cache.isLeader(), sets: describeWarming(await warmer.state()) }),
    warm: () => warmer.tick({ all: true }),
  };
}

function snapshotOf({ cache, hits, keyUse, metrics }: ViewParts): Snapshot {
  return {
    cacheUse: cache.memory.use(),
    hits: hits.all(),
    keyUse: keyUse.all(),
    failures: metrics.failures.all(),
  };
}
