/** A window in the shared store. */
export interface SharedWindow {
  readonly count: number;
  readonly msLeft: number;
}

export interface Demand {
  readonly quota: number;
  readonly windowSeconds: number;
  readonly wanted: number;
  readonly atLeast: number;
}

/** The window after units were taken: `count` includes them. */
export interface TakenUnits extends SharedWindow {
  readonly granted: number;
}

/**
 * Counters and permits that gateways share. No method fails or hangs: undefined means that the shared store is
 * unreachable, and each gateway then counts for itself.
 */
export interface SharedLimits {
  /**
   * Takes units of a quota that are left in its window, which starts with the first one: at most `wanted`, and at most a
   * hundredth of what is left or `atLeast` units.
   */
  readonly take: (name: string, demand: Demand) => Promise<TakenUnits | undefined>;
  /** Gives a unit back that was taken in the window that ends within this time. */
  readonly giveBack: (name: string, msLeft: number) => Promise<void>;
  /** Adds an integer to a window, which starts with the first addition. */
  readonly add: (name: string, amount: number, windowSeconds: number) => Promise<SharedWindow | undefined>;
  /** Null if no window is running. */
  readonly read: (name: string) => Promise<SharedWindow | null | undefined>;
  /** Takes one of at most `max` permits. A permit expires if its owner never returns it. */
  readonly takePermit: (permit: Permit, max: number) => Promise<boolean | undefined>;
  readonly returnPermit: (permit: Permit) => Promise<void>;
}

export interface Permit {
  /** What the permit is for. */
  readonly name: string;
  /** Unique to its owner. */
  readonly token: string;
}
