import type { Demand, SharedLimits, StoreReply } from '../../src/gateway/limits/shared-limits.js';

/** What happens to a demand: it is counted, never arrives, is counted but its reply is lost, or is read once the store continues. */
export type StoreState = 'reachable' | 'unreachable' | 'silent' | 'stopped';

/** How long a gateway waits for a reply. */
const TIMEOUT_MS = 250;

interface StoredWindow {
  count: number;
  endsAt: number;
}

/**
 * A store that gateways share, in memory, with the clock of the test: a window's units and when it ends. It counts as the
 * script in Redis does.
 */
export class CountingStore implements SharedLimits {
  windows = new Map<string, StoredWindow>();
  /** How often units were counted or asked for. */
  calls = 0;
  /** Called when units are about to be taken, and before the reply arrives. */
  onTravel: { readonly to?: () => void; readonly back?: () => void } = {};
  /** The clock of the store minus the clock of the test. */
  aheadMs = 1_700_000_000_000;
  private current: StoreState = 'reachable';
  private unread: (() => void)[] = [];

  constructor(private readonly now: () => number) {}

  get state(): StoreState {
    return this.current;
  }

  /** A store that was stopped now reads what was sent to it. */
  set state(state: StoreState) {
    this.current = state;
    if (state !== 'stopped') for (const read of this.unread.splice(0)) read();
  }

  /** What a replica of this moment would hold. */
  copy(): ReadonlyMap<string, StoredWindow> {
    return new Map([...this.windows].map(([name, window]) => [name, { ...window }]));
  }

  /** Goes on with the data of an earlier moment, or with none. */
  failOver(data: ReadonlyMap<string, StoredWindow> = new Map()): void {
    this.windows = new Map([...data].map(([name, window]) => [name, { ...window }]));
  }

  readonly count = async (name: string, demand: Demand): Promise<StoreReply | undefined> => {
    this.calls += 1;
    await Promise.resolve();
    if (this.state === 'unreachable') return undefined;
    if (this.state === 'stopped') {
      this.unread.push(() => this.countNow(name, demand));
      return undefined;
    }
    this.onTravel.to?.();
    const reply = this.countNow(name, demand);
    this.onTravel.back?.();
    return this.state === 'silent' ? undefined : reply;
  };

  readonly takePermit = (): Promise<true> => Promise.resolve(true);
  readonly returnPermit = (): Promise<void> => Promise.resolve();

  private countNow(name: string, demand: Demand): StoreReply {
    const { quota, msLeft, known, owed, wanted, atLeast } = demand;
    const { sentAt, windowEndsAt } = demand.times ?? { sentAt: Infinity, windowEndsAt: 0 };
    const time = this.now() + this.aheadMs;
    const isRunning = time < windowEndsAt;
    if (time > sentAt + TIMEOUT_MS || (owed !== 0 && !isRunning)) return { time };
    const stored = this.runningWindow(name);
    const window = stored ?? { count: isRunning ? known : 0, endsAt: this.now() + msLeft };
    const rest = Math.max(0, quota - window.count - owed);
    const granted = Math.min(rest, wanted, Math.max(atLeast, Math.floor(rest / 100)));
    window.count += owed + granted;
    if (window.count > 0) this.windows.set(name, window);
    const isStarted = this.windows.has(name);
    return {
      time,
      window: { granted, count: window.count, msLeft: isStarted ? window.endsAt - this.now() : Infinity },
    };
  }

  private runningWindow(name: string): StoredWindow | undefined {
    const window = this.windows.get(name);
    if (window && window.endsAt > this.now()) return window;
    this.windows.delete(name);
    return undefined;
  }
}
