/** A window in the shared store. */
export interface SharedWindow {
  readonly count: number;
  readonly msLeft: number;
}

/**
 * Counters and permits that gateways share. No method fails or hangs: undefined means that the shared store is
 * unreachable, and each gateway then counts for itself.
 */
export interface SharedLimits {
  /** Adds an integer to a window, which starts with the first addition; a negative amount reverts a count. */
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
