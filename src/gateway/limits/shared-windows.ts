import type { FixedWindows, Window } from './fixed-windows.js';
import type { WindowLimit } from './limit-state.js';
import type { Demand, SharedLimits } from './shared-limits.js';

/** Units that a gateway asks for: see `Demand`. `own` are those of requests that wait for the reply. */
interface Wish {
  readonly owed?: number;
  readonly wanted?: number;
  readonly own?: 0 | 1;
}

/** What became of a wish: whether its own units were granted, and the window in which they then are spent. */
interface Granted {
  readonly isGranted: boolean;
  readonly window: Window;
}

/**
 * Keeps the windows of this gateway and those of the store that gateways share in step. Each demand is about one window of
 * this gateway. What it spends while the store is unreachable, it owes and pays once the store replies; what it spent counts
 * here all the same. So a caller gets at most one quota from each gateway and window, however often the store fails.
 */
export class SharedWindows {
  constructor(
    private readonly windows: FixedWindows,
    private readonly shared: SharedLimits,
    /** Steady milliseconds, on the clock of the windows. */
    private readonly now: () => number,
  ) {}

  /** Asks the store and takes over its reply; undefined: it is unreachable. Never rejects. */
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
    // What was granted in a window that has ended counts in the one that runs.
    if (endsAt > this.now()) window.learn(reply.window, endsAt, paid);
    const isGranted = reply.window.granted >= own && window.count < limit.quota;
    // At once: the unit must not be taken for one of the lease.
    if (isGranted) window.spent += own;
    return { isGranted, window };
  }

  /** Pays what this gateway owes the store, and refills its lease, once at a time. Never rejects. */
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
        // A store that does not reply may count all the same. So what is owed is sent only where the last demand was answered.
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
  // Read late, it would start a window that is too short. So the first demand of such a window only asks for the time.
  const mayTakeUnits = storeAhead !== undefined || spent === 0;
  const known = others + paid;
  const units = mayTakeUnits ? wanted : 0;
  const demand = { quota, msLeft: endsAt - now, known, owed, wanted: units, atLeast: own };
  if (storeAhead === undefined) return demand;
  return { times: { sentAt: now + storeAhead, windowEndsAt: endsAt + storeAhead }, ...demand };
}
