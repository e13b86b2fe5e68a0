import type { Endpoint } from '../endpoint/endpoint.js';
import type { Answer } from '../execution/answer.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { Question } from '../execution/call.js';
import type { Clock } from '../execution/ports.js';
import { JSON_REPRESENTATION } from '../execution/representation.js';
import type { QueryBudget } from './query-budget.js';
import { mostUsedFirst, type UsedSet } from './usage-ledger.js';
import { backOffUntil, dueAt, isInUse, jitterOf, type WarmedSet } from './warm-schedule.js';

/** Asks a question anew and replaces the cached answer. @throws Failure, and then the answer from before stays. */
export type Refresh = (question: Question, key: CacheKey) => Promise<Answer>;

export interface WarmerParts {
  readonly endpoints: readonly Endpoint[];
  /** The sets of an endpoint that are in use, whichever gateway was asked. */
  readonly setsInUse: (endpointId: string) => Promise<readonly UsedSet[]>;
  readonly forget: (key: CacheKey) => void;
  readonly refresh: Refresh;
  /** Whether this gateway is the one that warms. */
  readonly isLeader: () => boolean;
  /** Whether interactive requests wait for a query of theirs. */
  readonly isBusy: () => boolean;
  readonly budget: QueryBudget;
  readonly maxSets: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly onRefreshed: (endpoint: Endpoint, outcome: 'ok' | 'failed', milliseconds: number) => void;
}

interface DueSet {
  readonly endpoint: Endpoint;
  readonly set: UsedSet;
}

/** A set as the operator sees it. */
export interface WarmingState {
  readonly endpoint: string;
  readonly hash: string;
  /** How the rows are written. */
  readonly representation: string;
  /** The given parameters, as they are bound. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly asks: number;
  readonly warmed: WarmedSet | undefined;
  /** Milliseconds since 1970; 0 for at once. */
  readonly dueAt: number;
}

/** After so many intervals without a refresh, and without being listed as in use, nothing is known of a set. */
const INTERVALS_REMEMBERED = 2;

/** Refreshes the cached answers that are in use, each at its endpoint's interval, the most used first. */
export class Warmer {
  private readonly warmed = new Map<string, WarmedSet>();
  private running: Promise<void> | undefined;

  constructor(private readonly parts: WarmerParts) {}

  /**
   * Refreshes what is due; while it still does so from the last time, does nothing.
   *
   * @param all also what is in use and not due yet, once what still runs is over.
   */
  async tick({ all = false } = {}): Promise<void> {
    if (all) await this.idle();
    if (this.running || !this.parts.isLeader()) return this.running;
    this.running = this.run(all).finally(() => (this.running = undefined));
    return this.running;
  }

  /** Resolves when nothing is being refreshed. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** What is in use, when it was refreshed, and when it will be. */
  async state(): Promise<readonly WarmingState[]> {
    const endpoints = this.parts.endpoints.filter(isWarmed);
    const sets = await Promise.all(endpoints.map(({ id }) => this.parts.setsInUse(id)));
    return endpoints.flatMap((endpoint, index) =>
      (sets[index] ?? []).map((set) => {
        const warmed = this.warmed.get(set.key.hash);
        return {
          endpoint: endpoint.name,
          hash: set.key.hash,
          representation: (set.question.representation ?? JSON_REPRESENTATION).name,
          parameters: givenParameters(set.question),
          asks: set.asks,
          warmed,
          dueAt: this.dueAt(endpoint, set),
        };
      }),
    );
  }

  private async run(all: boolean): Promise<void> {
    const due = (
      await Promise.all(this.parts.endpoints.filter(isWarmed).map((e) => this.due(e, all)))
    ).flat();
    due.sort((a, b) => mostUsedFirst(a.set, b.set));
    const workers = Array.from({ length: this.parts.concurrency }, () => this.work(due));
    await Promise.all(workers);
  }

  /** What can't be done now, for lack of budget or because callers wait, is due again at the next tick. */
  private async work(queue: DueSet[]): Promise<void> {
    for (;;) {
      if (this.parts.isBusy() || !this.parts.budget.isOpen || !this.parts.isLeader()) return;
      const next = queue.shift();
      if (!next) return;
      await this.refresh(next);
    }
  }

  private async due(endpoint: Endpoint, all: boolean): Promise<readonly DueSet[]> {
    const now = this.parts.clock().getTime();
    const sets = await this.parts.setsInUse(endpoint.id);
    const [used, unused] = [
      sets.filter((set) => isInUse(set, this.warmed.get(set.key.hash))),
      sets.filter((set) => !isInUse(set, this.warmed.get(set.key.hash))),
    ];
    for (const { key } of unused) this.forget(key);
    this.forgetUnlisted(endpoint, sets, now);
    return used
      .toSorted(mostUsedFirst)
      .slice(0, this.parts.maxSets)
      .filter((set) => all || this.dueAt(endpoint, set) <= now)
      .map((set) => ({ endpoint, set }));
  }

  private dueAt({ settings }: Endpoint, set: UsedSet): number {
    return dueAt(set, this.warmed.get(set.key.hash), settings.warming * 1000, jitterOf(set.key));
  }

  /**
   * What dropped out of a full ledger is listed no more, and would be remembered for ever. Not at once: while Redis
   * hesitates, the sets of other gateways are not listed either.
   */
  private forgetUnlisted({ id, settings }: Endpoint, sets: readonly UsedSet[], now: number): void {
    const listed = new Set(sets.map(({ key }) => key.hash));
    const rememberedMs = INTERVALS_REMEMBERED * settings.warming * 1000;
    for (const [hash, { key, bornAt, notBefore }] of this.warmed) {
      if (key.endpointId !== id || listed.has(hash)) continue;
      if (Math.max(bornAt, notBefore) + rememberedMs < now) this.warmed.delete(hash);
    }
  }

  private forget(key: CacheKey): void {
    this.warmed.delete(key.hash);
    this.parts.forget(key);
  }

  private async refresh({ endpoint, set }: DueSet): Promise<void> {
    const { clock, budget, onRefreshed } = this.parts;
    const startedAt = clock().getTime();
    const started = performance.now();
    const before = this.warmed.get(set.key.hash);
    try {
      const answer = await this.parts.refresh(set.question, set.key);
      budget.spend(answer.clickhouseMs);
      this.warmed.set(set.key.hash, {
        key: set.key,
        refreshedAt: [...(before?.refreshedAt ?? []), startedAt].slice(-2),
        failures: 0,
        notBefore: 0,
        bornAt: answer.bornAt,
        lastMs: answer.clickhouseMs,
        rowsRead: answer.rowsRead,
        bytesRead: answer.bytesRead,
        asksAtRefresh: set.asks,
      });
      onRefreshed(endpoint, 'ok', answer.clickhouseMs);
    } catch {
      // The request log has no line for it; the metric and the operator's view have. What there is stays.
      const ms = performance.now() - started;
      budget.spend(ms);
      const failures = (before?.failures ?? 0) + 1;
      const notBefore = backOffUntil(startedAt, failures, endpoint.settings.warming * 1000);
      this.warmed.set(set.key.hash, {
        ...(before ?? NEVER_WARMED),
        key: set.key,
        failures,
        notBefore,
        asksAtRefresh: set.asks,
      });
      onRefreshed(endpoint, 'failed', ms);
    }
  }
}

const NEVER_WARMED = { refreshedAt: [], bornAt: 0, lastMs: 0, rowsRead: 0, bytesRead: 0 };

function givenParameters({ values }: Question): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...values].filter(([, value]) => value !== null));
}

function isWarmed({ settings }: Endpoint): boolean {
  return settings.warming > 0 && settings.caching !== 'disabled';
}
