import type { FixedWindows, Window } from './fixed-windows.js';
import { LimitExceeded, stateOf, type LimitState, type WindowLimit } from './limit-state.js';
import type { SharedWindows } from './shared-windows.js';

/** Milliseconds for which a lease should last. */
const LEASE_MS = 100;
/** A lease is at most the quota that is left, divided by this number. */
export const PARTS_OF_REST = 100;

/**
 * Counts requests against quotas. Gateways that share a store count together: each request is counted in the store before it is
 * served, or uses a unit of a lease that the store has counted. A lease covers what the gateway's callers used in the last tenth
 * of a second, and is at most a hundredth of the quota that is left. Near the end of a quota, each request is counted by itself.
 * So the quota is never exceeded. A gateway may reject requests while others hold units, at most two hundredths of the quota each.
 *
 * While the store is unreachable, each gateway continues from the last known counts, and owes the store what it spends.
 */
export class RequestQuotas {
  /**
   * @param shared the store that gateways share; without it, this process counts for itself.
   * @param now monotonic milliseconds, on the clock of the windows.
   */
  constructor(
    private readonly windows: FixedWindows,
    private readonly shared: SharedWindows | undefined,
    private readonly now: () => number,
  ) {}

  /** Counts a request and returns the limits after it; undefined, and nothing counted, where a limit rejects or the store must count. */
  admitAtOnce(limits: readonly WindowLimit[]): readonly LimitState[] | undefined {
    const pairs: [WindowLimit, Window][] = [];
    for (const limit of limits) {
      const window = this.windows.running(limit);
      if (!this.hasUnit(limit, window)) return undefined;
      pairs.push([limit, window]);
    }
    return pairs.map(([limit, window]) => {
      window.spent += 1;
      return this.spent(limit, window);
    });
  }

  /**
   * Counts a request in the shared store. A request that one limit rejects does not count for the others.
   *
   * @throws LimitExceeded
   */
  async admitAcrossGateways(
    limits: readonly WindowLimit[],
    shared: SharedWindows,
  ): Promise<readonly LimitState[]> {
    const states: LimitState[] = [];
    const spent: [WindowLimit, Window][] = [];
    for (const limit of limits) {
      const window = await this.spendAcrossGateways(limit, shared);
      if (!window) {
        const state = this.state(limit, this.windows.running(limit));
        await Promise.all(spent.map(([earlier, ofEarlier]) => shared.giveBack(earlier, ofEarlier)));
        throw new LimitExceeded(state, [...states, state]);
      }
      spent.push([limit, window]);
      states.push(this.spent(limit, window));
    }
    return states;
  }

  /** Spends a unit, and returns the window in which it is counted; undefined where no unit is left. */
  private async spendAcrossGateways(limit: WindowLimit, shared: SharedWindows): Promise<Window | undefined> {
    // A second attempt, because the exhausted window can end during the first.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const isHeld = this.hasUnit(limit, this.windows.running(limit));
      const asked = isHeld ? undefined : await shared.ask(limit, { wanted: 1, own: 1 });
      if (asked?.isGranted) return asked.window;
      const window = this.windows.running(limit);
      if (window.count >= limit.quota) return undefined;
      if (!asked || this.hasUnit(limit, window)) {
        window.spent += 1;
        return window;
      }
    }
    return undefined;
  }

  /** Whether a request can use a unit that the shared store need not grant first. */
  private hasUnit({ quota }: WindowLimit, window: Window): boolean {
    return window.count < quota && (!this.shared || window.owed < 0);
  }

  /** Records that a unit was spent, and refills the lease where less than half of its size is left. */
  private spent(limit: WindowLimit, window: Window): LimitState {
    const { shared } = this;
    if (shared) {
      this.notePace(window);
      // The store grants no more for a lease: with larger refills, a gateway would hold more than two leases.
      const rest = Math.max(0, limit.quota - window.count);
      const size = Math.min(window.pace.usedBefore, Math.floor(rest / PARTS_OF_REST));
      if (-window.owed < size / 2) void shared.settle(limit);
    }
    return this.state(limit, window);
  }

  private notePace({ pace }: Window): void {
    const now = this.now();
    const passed = now - pace.since;
    if (passed >= LEASE_MS) {
      pace.usedBefore = passed < 2 * LEASE_MS ? pace.used : 0;
      pace.used = 0;
      pace.since = now;
    }
    pace.used += 1;
  }

  private state(limit: WindowLimit, window: Window): LimitState {
    return stateOf(limit, window, this.now());
  }
}
