import { LRUCache } from 'lru-cache';

import { OPERATORS } from '../endpoint/figures.js';
import type { FixedWindows } from './fixed-windows.js';
import { LimitExceeded, unitsLeft, type LimitState } from './limit-state.js';
import { stateOf, type WindowLimit } from './limits-of.js';
import type { SharedLimits } from './shared-limits.js';

/** Milliseconds for which a lease should last. */
const LEASE_MS = 100;
/** A lease is at most this part of what is left of a quota. */
export const PARTS_OF_REST = 100;
/** The longest time that a reply of the shared store usually takes. */
const MAX_DELAY_MS = 500;
/** Maximum number of leases: token subjects are unbounded. */
const MAX_LEASES = 50_000;

/** Units of a quota that this gateway has counted in the shared store before it needs them. */
interface Lease {
  left: number;
  /** When the window ends whose units these are; never later than in the shared store. Steady milliseconds. */
  endsAt: number;
  /** Requests since `since`, and in the time of a lease before it: what a lease should cover. */
  used: number;
  usedBefore: number;
  since: number;
  isRefilling: boolean;
}

export interface RequestQuotaParts {
  /** Of each limit: the units that are used or that other gateways hold. */
  readonly windows: FixedWindows;
  /** Without it, this process counts for itself. */
  readonly shared?: SharedLimits | undefined;
  /** Steady milliseconds, on the clock of the windows. */
  readonly now: () => number;
}

/**
 * Counts requests against quotas. Gateways that share a store count together: a request is counted there before it is served,
 * or uses a unit of a lease that was. A gateway leases what its callers used in the last tenth of a second, at most a
 * hundredth of what is left of the quota: near its end, each request is counted by itself. So the quota is never exceeded; a
 * gateway may reject requests while others hold units, at most two hundredths of the quota each.
 *
 * While the store is unreachable, each gateway continues from the last known counts.
 */
export class RequestQuotas {
  private readonly leases = new LRUCache<string, Lease>({ max: MAX_LEASES });

  constructor(private readonly parts: RequestQuotaParts) {}

  /** Counts a request and returns the limits after it; undefined, and nothing counted, where a limit rejects it or the shared store must count it. */
  admitAtOnce(limits: readonly WindowLimit[]): readonly LimitState[] | undefined {
    const { shared, now } = this.parts;
    const at = now();
    for (const limit of limits) {
      if (shared ? !this.holdsUnit(limit, at) : this.isExhausted(limit)) return undefined;
    }
    return limits.map((limit) => (shared ? this.useUnit(limit, shared) : this.countLocally(limit)));
  }

  /**
   * Counts a request in the shared store. A request that one limit rejects does not count for the others.
   *
   * @throws LimitExceeded
   */
  async admitAcrossGateways(
    limits: readonly WindowLimit[],
    shared: SharedLimits,
  ): Promise<readonly LimitState[]> {
    const states: LimitState[] = [];
    const counted: WindowLimit[] = [];
    for (const limit of limits) {
      if (!(await this.count(limit, shared))) {
        const state = this.state(limit);
        await Promise.all(counted.map((earlier) => this.giveBack(earlier, shared)));
        throw new LimitExceeded(state, [...states, state]);
      }
      counted.push(limit);
      states.push(this.state(limit));
    }
    return states;
  }

  isExhausted({ name, window, quota }: WindowLimit): boolean {
    return this.parts.windows.peek(name, window).count >= quota;
  }

  /** Whether there was a unit for a request, which then is counted. */
  private async count(limit: WindowLimit, shared: SharedLimits): Promise<boolean> {
    if (!this.holdsUnit(limit, this.parts.now())) {
      let drawn = await this.draw(limit, shared, 1);
      // The window that was exhausted can have ended meanwhile.
      if (drawn === 'none' && !this.isExhausted(limit)) drawn = await this.draw(limit, shared, 1);
      if (drawn === 'unit') {
        this.keepLease(limit, shared, this.state(limit));
        return true;
      }
      if (!this.holdsUnit(limit, this.parts.now())) {
        if (drawn === 'none' || this.isExhausted(limit)) return false;
        this.countLocally(limit);
        return true;
      }
    }
    this.useUnit(limit, shared);
    return true;
  }

  private holdsUnit({ name }: WindowLimit, now: number): boolean {
    const lease = this.leases.get(name);
    return lease !== undefined && lease.left > 0 && lease.endsAt > now;
  }

  private useUnit(limit: WindowLimit, shared: SharedLimits): LimitState {
    this.leaseOf(limit).left -= 1;
    const state = this.countLocally(limit);
    this.keepLease(limit, shared, state);
    return state;
  }

  /** Notes that a request was counted, and refills the lease where less than half of what it should cover is left. */
  private keepLease(limit: WindowLimit, shared: SharedLimits, state: LimitState): void {
    const lease = this.leaseOf(limit);
    const now = this.parts.now();
    if (now - lease.since >= LEASE_MS) {
      lease.usedBefore = now - lease.since < 2 * LEASE_MS ? lease.used : 0;
      lease.used = 0;
      lease.since = now;
    }
    lease.used += 1;
    // The store grants no more: refills for more would add up to more than two leases.
    const size = Math.min(lease.usedBefore, Math.floor((unitsLeft(state, OPERATORS) ?? 0) / PARTS_OF_REST));
    if (lease.left >= size / 2 || lease.isRefilling) return;
    lease.isRefilling = true;
    void this.draw(limit, shared, 0).finally(() => (lease.isRefilling = false));
  }

  /**
   * Takes units from the shared store: one for a request that waits for it, which is no part of the lease and counts even
   * where its window ends before the reply arrives; or else those of a lease. Never rejects.
   *
   * @returns `unit`: the store granted it; undefined: it is unreachable.
   */
  private async draw(
    limit: WindowLimit,
    shared: SharedLimits,
    own: 0 | 1,
  ): Promise<'unit' | 'none' | undefined> {
    const { windows, now } = this.parts;
    const { name, quota, window } = limit;
    const lease = this.leaseOf(limit);
    const sentAt = now();
    const wanted = own === 1 ? 1 : lease.usedBefore;
    const taken = await shared.take(name, { quota, windowSeconds: window, wanted, atLeast: own });
    if (!taken) return undefined;
    const endsAt = sentAt + Math.min(taken.msLeft, window * 1000);
    if (lease.endsAt <= sentAt) {
      lease.left = 0;
      lease.endsAt = endsAt;
    }
    const isGranted = taken.granted >= own;
    lease.left += isGranted ? taken.granted - own : 0;
    windows.set(name, taken.count - lease.left, endsAt - now());
    return isGranted ? 'unit' : 'none';
  }

  private async giveBack({ name, window }: WindowLimit, shared: SharedLimits): Promise<void> {
    const { windows, now } = this.parts;
    const { endsAt } = windows.add(name, -1, window);
    // The window ends here up to a reply's delay earlier than in the store.
    const tolerance = Math.min(MAX_DELAY_MS, (window * 1000) / 2);
    await shared.giveBack(name, Math.max(0, endsAt - now()) + tolerance);
  }

  private leaseOf({ name }: WindowLimit): Lease {
    const known = this.leases.get(name);
    if (known) return known;
    const since = this.parts.now();
    const lease = { left: 0, endsAt: 0, used: 0, usedBefore: 0, since, isRefilling: false };
    this.leases.set(name, lease);
    return lease;
  }

  private countLocally(limit: WindowLimit): LimitState {
    const { windows, now } = this.parts;
    return stateOf(limit, windows.add(limit.name, 1, limit.window), now());
  }

  private state(limit: WindowLimit): LimitState {
    const { windows, now } = this.parts;
    return stateOf(limit, windows.peek(limit.name, limit.window), now());
  }
}
