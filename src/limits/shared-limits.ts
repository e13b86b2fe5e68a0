/** A window as gateways count it together. */
export interface SharedWindow {
  readonly count: number;
  readonly msLeft: number;
}

/**
 * What gateways count and hold together. Nothing here ever fails or hangs: undefined says that the shared place is out
 * of reach, and each gateway then counts for itself.
 */
export interface SharedLimits {
  /** Adds to a window, which begins with the first that is added. Amounts are integers, negative to take back. */
  readonly add: (name: string, amount: number, windowSeconds: number) => Promise<SharedWindow | undefined>;
  /** Null where no window runs. */
  readonly read: (name: string) => Promise<SharedWindow | null | undefined>;
  /** Takes one of so many permits, for a while at most: one that its holder never gives back comes back by itself. */
  readonly takePermit: (permit: Permit, max: number) => Promise<boolean | undefined>;
  readonly returnPermit: (permit: Permit) => Promise<void>;
}

export interface Permit {
  /** Of what it is one. */
  readonly name: string;
  /** Of its holder alone. */
  readonly token: string;
}
