import { mostUsedFirst, type UsedSet } from './usage-ledger.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { OPERATORS } from '../../endpoint/figures.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import type { CacheKey } from '../query/cache-key.js';
import type { EndpointQuery } from '../query/endpoint-query.js';
import { knownAt, type EndpointResult } from '../query/endpoint-result.js';
import type { Clock } from '../query/ports.js';
import { costOfFailure, NO_COST } from '../query/sum-of-costs.js';
import type { QueryBudget } from './query-budget.js';
import { isSlow, RefreshSlots } from './refresh-slots.js';
import { dueAt, isInUse, jitterOf, withoutFutureTimes, type WarmedSet } from './warm-schedule.js';

/** A cached result that is fresh again. */
export interface Refreshed {
  readonly result: EndpointResult;
  /** Whether this gateway queried ClickHouse for it. False where the data has not changed, or another gateway ran the query. */
  readonly isQueried: boolean;
}

/**
 * Replaces the cached result of a query by one that is known since a later time (milliseconds since 1970; Infinity requires a new query).
 *
 * @throws Failure; the previous result then stays cached.
 */
export type Refresh = (query: EndpointQuery, key: CacheKey, newerThan: number) => Promise<Refreshed>;

export interface WarmerDependencies {
  readonly endpoints: () => readonly Endpoint[];
  /** Sets of an endpoint that are used at this gateway. */
  readonly setsInUse: (endpointId: string) => readonly UsedSet[];
  readonly forget: (key: CacheKey) => void;
  readonly refresh: Refresh;
  /** Whether interactive queries wait for a slot. */
  readonly isBusy: () => boolean;
  readonly budget: QueryBudget;
  readonly maxSets: number;
  readonly concurrency: number;
  readonly clock: Clock;
  /** Called when a refresh starts, with its delay since it was due, in milliseconds. */
  readonly onStarted: (endpoint: Endpoint, lateMs: number) => void;
  readonly onRefreshed: (endpoint: Endpoint, outcome: 'ok' | 'failed', milliseconds: number) => void;
}

interface DueSet {
  readonly endpoint: Endpoint;
  readonly set: UsedSet;
  /** Whether to refresh the set even if it is not due. */
  readonly forced: boolean;
}

interface UsedSets {
  readonly endpoint: Endpoint;
  readonly sets: readonly UsedSet[];
}

/** A set in the form of the admin API. */
export interface WarmingState {
  readonly endpoint: string;
  readonly hash: string;
  /** Name of the representation. */
  readonly representation: string;
  /** Parameters that have a value, in the form in which they are bound. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly uses: number;
  readonly warmed: WarmedSet | undefined;
  /** Time when the set is due, in milliseconds since 1970; 0 means at once. */
  readonly dueAt: number;
}

/**
 * Refreshes the cached results that are in use at this gateway, each at its endpoint's interval. A slow refresh does not delay the others.
 * If there are too few slots, the most used sets come first.
 */
export class Warmer {
  private readonly warmed = new Map<string, WarmedSet>();
  private readonly slots: RefreshSlots;
  /** Due sets that wait for a slot, the most used first. */
  private queue: readonly DueSet[] = [];
  private isStopped = false;

  constructor(private readonly dependencies: WarmerDependencies) {
    this.slots = new RefreshSlots(dependencies.concurrency, () => this.now());
  }

  /**
   * Refreshes the sets that are due and not being refreshed already. Resolves when each of them is refreshed or postponed to a later tick.
   *
   * @param all also refreshes sets that are in use but not due. A set that is being refreshed is refreshed once more.
   */
  async tick({ all = false } = {}): Promise<void> {
    const used = this.used();
    this.forgetExcept(used);
    const due = used
      .flatMap(({ endpoint, sets }) => this.due(endpoint, sets, all))
      .filter(({ set, forced }) => forced || !this.slots.isRunning(set.key.hash));
    const forced = this.queue.filter((queued) => queued.forced && !all);
    const isForced = ({ key }: UsedSet): boolean => forced.some(({ set }) => set.key.hash === key.hash);
    this.queue = [...forced, ...due.filter(({ set }) => !isForced(set))].sort((a, b) =>
      mostUsedFirst(a.set, b.set),
    );
    this.startNext();
    await this.untilDone(due);
  }

  /** Stops new refreshes. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.queue = [];
    await this.idle();
  }

  /** Resolves when no refresh runs. */
  async idle(): Promise<void> {
    for (let end = this.slots.nextEnd; end; end = this.slots.nextEnd) await end;
  }

  /** Sets in use, with their last refresh and their next due time. */
  state(): readonly WarmingState[] {
    const now = this.now();
    return this.used().flatMap(({ endpoint, sets }) =>
      sets.map((set) => ({
        endpoint: endpoint.name,
        hash: set.key.hash,
        representation: (set.query.representation ?? JSON_REPRESENTATION).name,
        parameters: parametersOf(set.query),
        uses: set.uses,
        warmed: this.warmed.get(set.key.hash),
        dueAt: this.dueAt(endpoint, set, now),
      })),
    );
  }

  private used(): readonly UsedSets[] {
    const endpoints = this.dependencies.endpoints().filter(isWarmed);
    return endpoints.map((endpoint) => ({ endpoint, sets: this.dependencies.setsInUse(endpoint.id) }));
  }

  /** Starts queued refreshes. If the budget is spent or callers wait, it empties the queue, because the sets are due again next tick. */
  private startNext(): void {
    for (;;) {
      if (!this.mayStart()) this.queue = [];
      const next = this.queue.find(({ set }) => this.slots.admits(set.key.hash, this.isSlow(set)));
      if (!next) return;
      this.queue = this.queue.filter((queued) => queued !== next);
      this.start(next);
    }
  }

  private mayStart(): boolean {
    const { isBusy, budget } = this.dependencies;
    return !this.isStopped && !isBusy() && budget.isOpen;
  }

  private start(due: DueSet): void {
    const { endpoint, set } = due;
    const now = this.now();
    const dueAt = this.dueAt(endpoint, set, now);
    // Another tick may have refreshed the set since it became due.
    if (!due.forced && dueAt > now) return;
    this.dependencies.onStarted(endpoint, dueAt === 0 ? 0 : Math.max(0, now - dueAt));
    this.slots.run(
      set.key.hash,
      this.isSlow(set),
      () => this.refresh(due),
      () => {
        this.startNext();
      },
    );
  }

  /** Whether a refresh will probably be slow, by the last refresh of the set or, without one, by the query of a caller's miss. */
  private isSlow({ key, clickhouseMs }: UsedSet): boolean {
    return isSlow(this.warmed.get(key.hash)?.tookMs ?? clickhouseMs);
  }

  private async untilDone(due: readonly DueSet[]): Promise<void> {
    for (let end = this.slots.nextEnd; end; end = this.slots.nextEnd) {
      if (!due.some((dueSet) => this.slots.isRunning(dueSet.set.key.hash) || this.isQueued(dueSet))) return;
      await end;
    }
  }

  /** Whether a set waits in the queue. A later tick may have queued a forced set again as another object. */
  private isQueued(dueSet: DueSet): boolean {
    const isSame = ({ set, forced }: DueSet): boolean => forced && set.key.hash === dueSet.set.key.hash;
    return this.queue.some((queued) => queued === dueSet || (dueSet.forced && isSame(queued)));
  }

  private due(endpoint: Endpoint, sets: readonly UsedSet[], all: boolean): readonly DueSet[] {
    const now = this.now();
    const used = sets.filter((set) => isInUse(set, this.known(set.key, now)));
    for (const set of sets) if (!used.includes(set)) this.forget(set.key);
    return used
      .toSorted(mostUsedFirst)
      .slice(0, this.dependencies.maxSets)
      .filter((set) => all || this.dueAt(endpoint, set, now) <= now)
      .map((set) => ({ endpoint, set, forced: all }));
  }

  private dueAt({ settings }: Endpoint, set: UsedSet, now: number): number {
    return dueAt(set, this.known(set.key, now), settings.warming * 1000, jitterOf(set.key));
  }

  /** Time after which another gateway's result must be known to replace a refresh. */
  private newerThan({ set, forced }: DueSet, now: number): number {
    if (forced) return Infinity;
    return Math.max(set.createdAt, this.known(set.key, now)?.createdAt ?? 0);
  }

  private known({ hash }: CacheKey, now: number): WarmedSet | undefined {
    const warmed = this.warmed.get(hash);
    return warmed && withoutFutureTimes(warmed, now);
  }

  private now(): number {
    return this.dependencies.clock().getTime();
  }

  /** Removes the state of sets that are not listed: their endpoint was removed, or the full ledger evicted them. */
  private forgetExcept(used: readonly UsedSets[]): void {
    const listed = new Set(used.flatMap(({ sets }) => sets.map(({ key }) => key.hash)));
    for (const hash of this.warmed.keys()) if (!listed.has(hash)) this.warmed.delete(hash);
  }

  private forget(key: CacheKey): void {
    this.warmed.delete(key.hash);
    this.dependencies.forget(key);
  }

  private async refresh(due: DueSet): Promise<void> {
    const { endpoint, set } = due;
    const { budget, onRefreshed } = this.dependencies;
    const startedAt = this.now();
    const started = performance.now();
    const before = this.warmed.get(set.key.hash);
    try {
      const newerThan = this.newerThan(due, startedAt);
      const { result, isQueried } = await this.dependencies.refresh(set.query, set.key, newerThan);
      const { rowsRead, bytesRead, clickhouseMs } = isQueried ? result.cost.readBy(OPERATORS) : NO_COST;
      budget.spend(clickhouseMs);
      this.warmed.set(set.key.hash, {
        key: set.key,
        refreshedAt: refreshedAt(before, isQueried ? startedAt : Math.min(startedAt, knownAt(result))),
        failures: 0,
        failedAt: 0,
        tookMs: this.now() - startedAt,
        createdAt: knownAt(result),
        lastMs: clickhouseMs,
        rowsRead,
        bytesRead,
        usesAtRefresh: set.uses,
      });
      onRefreshed(endpoint, 'ok', clickhouseMs);
    } catch (error) {
      // The metric and the admin API report the failure, because the request log does not contain refreshes.
      const ms = costOfFailure(error)?.clickhouseMs ?? performance.now() - started;
      budget.spend(ms);
      this.warmed.set(set.key.hash, {
        ...(before ?? NEVER_WARMED),
        key: set.key,
        failures: (before?.failures ?? 0) + 1,
        failedAt: startedAt,
        tookMs: this.now() - startedAt,
        usesAtRefresh: set.uses,
      });
      onRefreshed(endpoint, 'failed', ms);
    }
  }
}

/**
 * Times of the last two refreshes. For a result that another gateway refreshed or that was confirmed, the time since which it is known
 * counts. Such a result counts as one refresh even if this gateway takes it twice.
 */
function refreshedAt(before: WarmedSet | undefined, at: number): readonly number[] {
  const earlier = before?.refreshedAt ?? [];
  return at <= (earlier.at(-1) ?? -Infinity) ? earlier : [...earlier, at].slice(-2);
}

const NEVER_WARMED = { refreshedAt: [], createdAt: 0, lastMs: 0, rowsRead: 0, bytesRead: 0 };

function parametersOf({ values }: EndpointQuery): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...values].filter(([, value]) => value !== null));
}

function isWarmed({ settings }: Endpoint): boolean {
  return settings.warming > 0 && settings.caching !== 'disabled';
}
