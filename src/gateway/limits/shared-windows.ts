import type { FixedWindows, Window } from './fixed-windows.js';
import type { WindowLimit } from './limit-state.js';
import type { Demand, SharedLimits } from './shared-limits.js';

/** Units that a gateway requests: `Demand` describes `owed` and `wanted`; `own` counts those of requests that wait for the reply. */
interface Wish {
  readonly owed?: number;
  readonly wanted?: number;
  readonly own?: 0 | 1;
}

/** The result of a request for units: whether the `own` units were granted, and the window in which they are spent. */
interface Granted {
  readonly isGranted: boolean;
  readonly window: Window;
}

/**
 * Synchronizes the windows of this gateway with the store that gateways share. Each demand is about one window of this gateway.
 * While the store is unreachable, the gateway owes the units that it spends, and pays them once the store replies. It counts these
 * units at once. So a caller gets at most one quota from each gateway and window, however often the store fails.
 */
export class SharedWindows {
  constructor(
    private readonly windows: FixedWindows,
    private readonly shared: SharedLimits,
    /** Monotonic milliseconds, on the clock of the windows. */
    private readonly now: () => number,
  ) {}

  /** Requests units of the store and applies its reply; undefined where the store is unreachable. Never rejects. */
  async ask(limit: WindowLimit, wish: Wish = {}): Promise<Granted | undefined> {
    const { owed = 0, own = 0 } = wish;
    const asked = this.windows.running(limit);
    const sentAt = this.now();
    const reply = await this.shared.count(limit.name, demandOf(limit, asked, wish, sentAt));
    asked.isAnswered = reply !== undefined;
    if (!reply) return undefined;
    asked.storeAhead = reply.time - sentAt;
    if (!reply.window) return undefined;
    const window = this.windows.running(limit);
    const endsAt = sentAt + reply.window.msLeft;
    const paid = reply.window.granted + (window === asked ? Math.max(0, owed) : 0);
    // Units that were granted for a window that has ended count in the running one.
    if (endsAt > this.now()) window.learn(reply.window, endsAt, paid);
    const isGranted = reply.window.granted >= own && window.count < limit.quota;
    // The unit is spent at once, because the store's count would otherwise make it a unit of the lease.
    if (isGranted) window.spent += own;
    return { isGranted, window };
  }

  /** Pays the units that this gateway owes the store, and refills its lease. Runs once at a time for a window. Never rejects. */
  settle(limit: WindowLimit): Promise<void> {
    const window = this.windows.running(limit);
    return (window.settling ??= this.settleWindow(limit, window));
  }

  /** Gives back a unit that was spent in a window. */
  async giveBack(limit: WindowLimit, window: Window): Promise<void> {
    window.spent -= 1;
    if (window.owed >= 0) return;
    window.paid -= 1;
    window.others += 1;
    if (this.windows.running(limit) === window) await this.ask(limit, { owed: -1 });
  }

  private async settleWindow(limit: WindowLimit, window: Window): Promise<void> {
    try {
      let isPaying = true;
      while (isPaying && this.windows.running(limit) === window) {
        // A store that does not reply may have counted. So owed units are sent only where the store answered the last demand.
        const owed = window.isAnswered ? Math.max(0, window.owed) : 0;
        const { paid } = window;
        const granted = await this.ask(limit, { owed, wanted: window.pace.usedBefore });
        isPaying = granted !== undefined && window.owed > 0 && (owed === 0 || window.paid > paid);
      }
    } finally {
      window.settling = undefined;
    }
  }
}

function demandOf(
  { quota }: WindowLimit,
  { others, paid, spent, endsAt, storeAhead }: Window,
  { owed = 0, wanted = 0, own = 0 }: Wish,
  now: number,
): Demand {
  // A demand that the store reads late would start a window that is too short. So the first one of a used window only asks for the time.
  const mayTakeUnits = storeAhead !== undefined || spent === 0;
  const known = others + paid;
  const units = mayTakeUnits ? wanted : 0;
  const demand = { quota, msLeft: endsAt - now, known, owed, wanted: units, atLeast: own };
  if (storeAhead === undefined) return demand;
  return { times: { sentAt: now + storeAhead, windowEndsAt: endsAt + storeAhead }, ...demand };
}
