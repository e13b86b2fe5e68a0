import type { ConcurrentQueries } from './concurrent-queries.js';
import type { FixedWindows, WindowCount } from './fixed-windows.js';
import type { Counted } from './limit-rules.js';
import { LimitExceeded, type LimitState, type Subject } from './limit-state.js';
import { costLimits, requestLimits, stateOf, type WindowLimit } from './limits-of.js';
import type { SharedLimits } from './shared-limits.js';

/** What a query cost in ClickHouse, by its own account. */
export type QueryCost = Readonly<Record<Exclude<Counted, 'requests'>, number>>;

/** The right to one query. */
export interface QueryPermit {
  /** How the limits on cost stood before the query. */
  readonly states: readonly LimitState[];
  /** Ends it, once: charges what the query cost, nothing where it cost nothing that is known. Never fails. */
  readonly settle: (cost?: QueryCost) => Promise<void>;
}

export interface LimiterParts {
  readonly windows: FixedWindows;
  readonly concurrent: ConcurrentQueries;
  /** Where gateways count together; alone, each process counts for itself. */
  readonly shared?: SharedLimits | undefined;
  /** Milliseconds, on the clock of the windows. */
  readonly now: () => number;
}

const FREE: QueryPermit = { states: [], settle: () => Promise.resolve() };

/**
 * Keeps callers and endpoints within their limits. With a shared place every count goes there, and its answer is copied
 * into the process's windows, so that a limit known to be reached refuses at once, and an outage goes on from the last known
 * counts, each gateway for itself.
 */
export class Limiter {
  constructor(private readonly parts: LimiterParts) {}

  /** Whether {@link admitRequest}, called at once, admits without a promise. */
  admitsAtOnce(subjects: readonly Subject[]): boolean {
    const limits = requestLimits(subjects);
    if (limits.length === 0) return true;
    if (this.parts.shared) return false;
    return limits.every((limit) => this.peek(limit).count < limit.quota);
  }

  /**
   * Counts one request against every subject's quota; undefined, at once, where there is none. A request that one
   * subject refuses is not counted for the others: what is known to be used up is looked at first, and what was counted
   * for those before it is taken back.
   *
   * @throws LimitExceeded, at once or in the promise.
   */
  admitRequest(
    subjects: readonly Subject[],
  ): readonly LimitState[] | undefined | Promise<readonly LimitState[]> {
    const limits = requestLimits(subjects);
    if (limits.length === 0) return undefined;
    if (limits.some((limit) => this.peek(limit).count >= limit.quota)) this.rejectExhausted(limits);
    const { shared } = this.parts;
    if (!shared) return limits.map((limit) => this.countHere(limit, 1));
    return this.countTogether(limits, shared);
  }

  /**
   * Admits a query that a request needs, where no budget of its subjects is used up and none has too many queries
   * running. A budget may be overdrawn, since a query's cost is known only afterwards; until its window is over no
   * further query is admitted then.
   *
   * @throws LimitExceeded
   */
  async admitQuery(subjects: readonly Subject[]): Promise<QueryPermit> {
    const budgets = costLimits(subjects);
    if (budgets.length === 0 && subjects.every(({ rules }) => rules.concurrent === undefined)) return FREE;
    const states = this.rejectExhausted(budgets, await this.read(budgets));
    const leave = await this.parts.concurrent.take(subjects);
    let settled = false;
    return {
      states,
      settle: async (cost) => {
        if (settled) return;
        settled = true;
        await Promise.all([this.charge(budgets, cost), leave()]);
      },
    };
  }

  private async charge(budgets: readonly WindowLimit[], cost: QueryCost | undefined): Promise<void> {
    if (!cost) return;
    const { shared } = this.parts;
    const charges = budgets.map(async (budget) => {
      const amount = Math.ceil(cost[budget.counted as keyof QueryCost]);
      if (!(amount > 0)) return;
      if (shared) await this.add(budget, amount, shared);
      else this.countHere(budget, amount);
    });
    await Promise.all(charges);
  }

  /** What budgets hold, as far as is known; asks the others only where the process does not know that one is used up. */
  private async read(limits: readonly WindowLimit[]): Promise<readonly WindowCount[]> {
    this.rejectExhausted(limits);
    const { shared } = this.parts;
    if (!shared) return limits.map((limit) => this.peek(limit));
    return Promise.all(
      limits.map(async (limit) => this.copy(limit, await shared.read(limit.name)) ?? this.peek(limit)),
    );
  }

  private async countTogether(
    limits: readonly WindowLimit[],
    shared: SharedLimits,
  ): Promise<readonly LimitState[]> {
    const states: LimitState[] = [];
    const counted: WindowLimit[] = [];
    for (const limit of limits) {
      const window = await this.add(limit, 1, shared);
      const state = this.state(limit, window);
      states.push(state);
      if (window.count > limit.quota) {
        await Promise.all(counted.map((earlier) => this.add(earlier, -1, shared)));
        throw new LimitExceeded(state, states);
      }
      counted.push(limit);
    }
    return states;
  }

  /** Counts here and together; what the window holds then, by the shared place where it answers. */
  private async add(limit: WindowLimit, amount: number, shared: SharedLimits): Promise<WindowCount> {
    const { name, window } = limit;
    const here = this.parts.windows.add(name, amount, window);
    return this.copy(limit, await shared.add(name, amount, window)) ?? here;
  }

  private countHere(limit: WindowLimit, amount: number): LimitState {
    return this.state(limit, this.parts.windows.add(limit.name, amount, limit.window));
  }

  /** @throws LimitExceeded where a quota has nothing left. */
  private rejectExhausted(
    limits: readonly WindowLimit[],
    counts: readonly WindowCount[] = limits.map((limit) => this.peek(limit)),
  ): readonly LimitState[] {
    const states = limits.map((limit, index) => this.state(limit, counts[index] ?? this.peek(limit)));
    // Of several that refuse, the one that says when to come back is the one that lasts the longest.
    const [exceeded] = states
      .filter(({ remaining }) => remaining === 0)
      .sort((a, b) => (b.resetSeconds ?? 0) - (a.resetSeconds ?? 0));
    if (exceeded) throw new LimitExceeded(exceeded, states);
    return states;
  }

  private peek({ name, window }: WindowLimit): WindowCount {
    return this.parts.windows.peek(name, window);
  }

  private state(limit: WindowLimit, count: WindowCount): LimitState {
    return stateOf(limit, count, this.parts.now());
  }

  /** Takes over what gateways counted together; undefined where they could not. */
  private copy(
    { name, window }: WindowLimit,
    counted: { readonly count: number; readonly msLeft: number } | null | undefined,
  ): WindowCount | undefined {
    if (counted === undefined) return undefined;
    const { count, msLeft } = counted ?? { count: 0, msLeft: window * 1000 };
    return this.parts.windows.set(name, count, Math.min(msLeft, window * 1000));
  }
}
