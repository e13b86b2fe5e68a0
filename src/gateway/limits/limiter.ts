import { OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { ConcurrentQueries } from './concurrent-queries.js';
import { FixedWindows } from './fixed-windows.js';
import {
  LimitExceeded,
  unitsLeft,
  costLimits,
  requestLimits,
  stateOf,
  type LimitState,
  type Subject,
  type WindowLimit,
} from './limit-state.js';
import { RequestQuotas } from './request-quotas.js';
import type { SharedLimits } from './shared-limits.js';
import { SharedWindows } from './shared-windows.js';

/** The permission to run one query. */
export interface QueryPermit {
  /** The cost limits before the query. */
  readonly states: readonly LimitState[];
  /** Charges the query's cost, if known, and keeps the permit for another query. Never fails. */
  readonly charge: (cost?: QueryCost) => Promise<void>;
  /** Ends the permit, once, and charges the query's cost, if known. Never fails. */
  readonly settle: (cost?: QueryCost) => Promise<void>;
}

/** What is used of a quota. */
export interface QuotaUse extends Pick<WindowLimit, 'counted' | 'quota' | 'window'> {
  /** Can be more than the quota: the cost of a query is known only after it. */
  readonly used: number;
  /** Seconds until the window ends; null where nothing was used, so that no window runs. */
  readonly resetsIn: number | null;
}

const NONE: readonly LimitState[] = [];

/**
 * Enforces the limits of callers and endpoints. With a shared store, gateways count together, and the local windows have the
 * store's last counts. A limit that is exceeded by these counts rejects at once. During an outage each gateway continues from
 * the last known counts.
 */
export class Limiter {
  private readonly windows: FixedWindows;
  private readonly concurrent: ConcurrentQueries;
  private readonly requests: RequestQuotas;
  private readonly shared: SharedWindows | undefined;

  /**
   * @param now monotonic milliseconds
   * @param shared the store that gateways share; without it, each process counts for itself
   */
  constructor(
    private readonly now: () => number,
    shared?: SharedLimits,
  ) {
    this.windows = new FixedWindows(now);
    this.concurrent = new ConcurrentQueries(shared);
    this.shared = shared && new SharedWindows(this.windows, shared, now);
    this.requests = new RequestQuotas(this.windows, this.shared, now);
  }

  /**
   * Counts a request as {@link admitRequest} does, but synchronously. Returns an empty list without limits. Returns undefined, and
   * counts nothing, where that needs the shared store or a limit would reject the request.
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
    if (!this.shared) throw new Error('a request was neither counted nor rejected');
    return this.requests.admitAcrossGateways(limits, this.shared);
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
    const states = await this.checkCosts(limits);
    const release = await this.concurrent.acquire(subjects);
    let settled = false;
    return {
      states,
      charge: (cost) => this.charge(limits, cost),
      settle: async (cost) => {
        if (settled) return;
        settled = true;
        await Promise.all([this.charge(limits, cost), release()]);
      },
    };
  }

  /**
   * What is used of each quota of a subject, as this gateway knows it. With a shared store these are the counts of its last reply;
   * before the first reply, the counts of this gateway alone. Starts no window, and sends no request to the store.
   */
  quotasOf(subject: Subject): readonly QuotaUse[] {
    const limits = [...requestLimits([subject]), ...costLimits([subject])];
    return limits.map(({ counted, quota, window, name }) => {
      const running = this.windows.find(name);
      const resetsIn = running ? Math.ceil((running.endsAt - this.now()) / 1000) : null;
      return { counted, quota, window, used: running?.count ?? 0, resetsIn };
    });
  }

  private async charge(limits: readonly WindowLimit[], cost: QueryCost | undefined): Promise<void> {
    if (!cost) return;
    const charges = limits.map(async (limit) => {
      const amount = Math.ceil(cost[limit.counted as keyof QueryCost]);
      if (!(amount > 0)) return;
      this.windows.running(limit).spent += amount;
      await this.shared?.settle(limit);
    });
    await Promise.all(charges);
  }

  /** Asks the shared store only if no local count shows an exhausted limit. @throws LimitExceeded */
  private async checkCosts(limits: readonly WindowLimit[]): Promise<readonly LimitState[]> {
    const states = this.rejectExhausted(limits);
    const { shared } = this;
    if (!shared) return states;
    await Promise.all(limits.map((limit) => shared.ask(limit)));
    return this.rejectExhausted(limits);
  }

  /** @throws LimitExceeded when a quota is exhausted. */
  private rejectExhausted(limits: readonly WindowLimit[]): readonly LimitState[] {
    const states = limits.map((limit) => stateOf(limit, this.windows.running(limit), this.now()));
    // Of several exhausted limits, report the one that lasts longest: Retry-After must cover all of them.
    const [exceeded] = states
      .filter((state) => unitsLeft(state, OPERATORS) === 0)
      .sort((a, b) => (b.resetSeconds ?? 0) - (a.resetSeconds ?? 0));
    if (!exceeded) return states;
    for (const limit of limits) if (this.windows.running(limit).owed > 0) void this.shared?.settle(limit);
    throw new LimitExceeded(exceeded, states);
  }
}
