import type { Demand, SharedLimits, TakenUnits } from '../../src/limits/shared-limits.js';

/**
 * A store that gateways share, in memory, with the clock of the test: a window's units and when it ends. It grants as the
 * script in Redis does.
 */
export class CountingStore implements SharedLimits {
  readonly windows = new Map<string, { count: number; endsAt: number }>();
  /** How often units were taken. */
  calls = 0;
  isReachable = true;
  /** Called when units are about to be taken, and before the reply arrives. */
  onTravel: { readonly to?: () => void; readonly back?: () => void } = {};

  constructor(private readonly now: () => number) {}

  readonly take = async (name: string, demand: Demand): Promise<TakenUnits | undefined> => {
    this.calls += 1;
    await Promise.resolve();
    if (!this.isReachable) return undefined;
    this.onTravel.to?.();
    const { quota, windowSeconds, wanted, atLeast } = demand;
    const window = this.window(name, windowSeconds);
    const rest = quota - window.count;
    const granted = Math.min(rest, wanted, Math.max(atLeast, Math.floor(rest / 100)));
    window.count += granted;
    const taken = { granted, count: window.count, msLeft: window.endsAt - this.now() };
    this.onTravel.back?.();
    return taken;
  };

  readonly giveBack = (name: string, msLeft: number): Promise<void> => {
    const window = this.windows.get(name);
    const left = window ? window.endsAt - this.now() : 0;
    if (window && left > 0 && left <= msLeft) window.count -= 1;
    return Promise.resolve();
  };

  readonly add = (): never => this.notUsed();
  readonly read = (): never => this.notUsed();
  readonly takePermit = (): never => this.notUsed();
  readonly returnPermit = (): never => this.notUsed();

  private window(name: string, windowSeconds: number): { count: number; endsAt: number } {
    const running = this.windows.get(name);
    if (running && running.endsAt > this.now()) return running;
    const window = { count: 0, endsAt: this.now() + windowSeconds * 1000 };
    this.windows.set(name, window);
    return window;
  }

  private notUsed(): never {
    throw new Error('only requests are counted');
  }
}
