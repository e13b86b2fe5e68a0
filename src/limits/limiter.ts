import { OPERATORS } from '../endpoint/figures.js';
import type { QueryCost } from '../endpoint/limit-rules.js';
import type { ConcurrentQueries } from './concurrent-queries.js';
import type { FixedWindows, WindowCount } from './fixed-windows.js';
import { LimitExceeded, unitsLeft, type LimitState, type Subject } from './limit-state.js';
import { costLimits, requestLimits, stateOf, type WindowLimit } from './limits-of.js';
import { RequestQuotas } from './request-quotas.js';
import type { SharedLimits } from './shared-limits.js';

/** The permission to run one query. */
export interface QueryPermit {
  /** The cost limits before the query. */
  readonly states: readonly LimitState[];
  /** Ends the permit, once, and charges the query's cost, if known. Never fails. */
  readonly settle: (cost?: QueryCost) => Promise<void>;
}

export interface LimiterParts {
  readonly windows: FixedWindows;
  readonly concurrent: ConcurrentQueries;
  /** The store that gateways share; without it, each process counts for itself. */
  readonly shared?: SharedLimits | undefined;
  /** Milliseconds, on the clock of the windows. */
  readonly now: () => number;
}

const NONE: readonly LimitState[] = [];
const FREE: QueryPermit = { states: [], settle: () => Promise.resolve() };

/**
 * Enforces the limits of callers and endpoints. With a shared store, gateways count together, and the counts are copied into
 * the local windows: a limit that is known to be exceeded rejects at once, and during an outage each gateway continues from
 * the last known counts.
 */
export class Limiter {
  private readonly requests: RequestQuotas;

  constructor(private readonly parts: LimiterParts) {
    this.requests = new RequestQuotas(parts);
  }

  /**
   * As {@link admitRequest}, synchronously: undefined, and nothing counted, where that needs the shared store or would reject
   * the request. Empty without limits.
   */
  admitAtOnce(subjects: readonly Subject[]): readonly LimitState[] | undefined {
    const limits = requestLimits(subjects);
    return limits.length === 0 ? NONE : this.requests.admitAtOnce(limits);
  }

  /**
   * Counts one request against every subject's quota, and returns the limits after it; empty without limits. A request that
   * one subject rejects does not count for the others.
   *
   * @throws LimitExceeded, synchronously or as a rejected promise.
   */
  admitRequest(subjects: readonly Subject[]): readonly LimitState[] | Promise<readonly LimitState[]> {
    const admitted = this.admitAtOnce(subjects);
    if (admitted) return admitted;
    const limits = requestLimits(subjects);
    this.rejectExhausted(limits);
    const { shared } = this.parts;
    if (!shared) throw new Error('a request was neither counted nor rejected');
    return this.requests.admitAcrossGateways(limits, shared);
  }

  /**
   * Admits a query of a request, if no cost limit of its subjects is exhausted and none has too many concurrent
   * queries. The cost is known only after the query, so a query may overdraw a limit; further queries are then
   * rejected until the window ends.
   *
   * @throws LimitExceeded
   */
  async admitQuery(subjects: readonly Subject[]): Promise<QueryPermit> {
    const limits = costLimits(subjects);
    if (limits.length === 0 && subjects.every(({ rules }) => rules.concurrent === undefined)) return FREE;
    const states = this.rejectExhausted(limits, await this.read(limits));
    const release = await this.parts.concurrent.acquire(subjects);
    let settled = false;
    return {
      states,
      settle: async (cost) => {
        if (settled) return;
        settled = true;
        await Promise.all([this.charge(limits, cost), release()]);
      },
    };
  }

  private async charge(limits: readonly WindowLimit[], cost: QueryCost | undefined): Promise<void> {
    if (!cost) return;
    const { shared } = this.parts;
    const charges = limits.map(async (limit) => {
      const amount = Math.ceil(cost[limit.counted as keyof QueryCost]);
      if (!(amount > 0)) return;
      if (shared) await this.add(limit, amount, shared);
      else this.countLocally(limit, amount);
    });
    await Promise.all(charges);
  }

  /** Reads windows. Queries the shared store only if no local count shows an exhausted limit. */
  private async read(limits: readonly WindowLimit[]): Promise<readonly WindowCount[]> {
    this.rejectExhausted(limits);
    const { shared } = this.parts;
    if (!shared) return limits.map((limit) => this.peek(limit));
    return Promise.all(
      limits.map(async (limit) => this.copy(limit, await shared.read(limit.name)) ?? this.peek(limit)),
    );
  }

  /** Counts locally and in the shared store; the shared count is returned if available. */
  private async add(limit: WindowLimit, amount: number, shared: SharedLimits): Promise<WindowCount> {
    const { name, window } = limit;
    const local = this.parts.windows.add(name, amount, window);
    return this.copy(limit, await shared.add(name, amount, window)) ?? local;
  }

  private countLocally(limit: WindowLimit, amount: number): LimitState {
    return this.state(limit, this.parts.windows.add(limit.name, amount, limit.window));
  }

  /** @throws LimitExceeded when a quota is exhausted. */
  private rejectExhausted(
    limits: readonly WindowLimit[],
    counts: readonly WindowCount[] = limits.map((limit) => this.peek(limit)),
  ): readonly LimitState[] {
    const states = limits.map((limit, index) => this.state(limit, counts[index] ?? this.peek(limit)));
    // Of several exhausted limits, report the one that lasts longest: Retry-After must cover all of them.
    const [exceeded] = states
      .filter((state) => unitsLeft(state, OPERATORS) === 0)
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

  /** Copies a shared count into the local window; undefined if the shared store is unreachable. */
  private copy(
    { name, window }: WindowLimit,
    counted: { readonly count: number; readonly msLeft: number } | null | undefined,
  ): WindowCount | undefined {
    if (counted === undefined) return undefined;
    const { count, msLeft } = counted ?? { count: 0, msLeft: window * 1000 };
    return this.parts.windows.set(name, count, Math.min(msLeft, window * 1000));
  }
}
