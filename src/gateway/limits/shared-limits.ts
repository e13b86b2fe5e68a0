/** What a gateway asks of a window in the shared store. */
export interface Demand {
  readonly quota: number;
  /** Milliseconds left of the gateway's window; a window that starts in the store gets as many. */
  readonly msLeft: number;
  /** The count of this window that the store last replied. A store without the window has lost it, and starts with this. */
  readonly known: number;
  /** Units that the gateway spent without the store; negative: units that it gives back. */
  readonly owed: number;
  /** Units to take if they are left: at most these, and at most a hundredth of what is left or `atLeast`. */
  readonly wanted: number;
  readonly atLeast: number;
  /** On the store's clock, where the gateway knows it. */
  readonly times?: DemandTimes | undefined;
}

/** Milliseconds since 1970. */
export interface DemandTimes {
  /** A demand is void once its timeout has passed: a store that stalled may read it long after. */
  readonly sentAt: number;
  /** When the gateway's window ends; `known` and `owed` are about no other. */
  readonly windowEndsAt: number;
}

/** The reply of the store. */
export interface StoreReply {
  /** The store's clock; milliseconds since 1970. */
  readonly time: number;
  /** Undefined where the demand was void. */
  readonly window?: StoreWindow | undefined;
}

/** The window after the demand: `count` includes what was granted and owed. */
export interface StoreWindow {
  readonly granted: number;
  readonly count: number;
  /** Infinity if no window is running. */
  readonly msLeft: number;
}

/**
 * Counters and permits that gateways share. No method fails or hangs: undefined means that the shared store is
 * unreachable, and each gateway then counts for itself.
 */
export interface SharedLimits {
  /** Adds to a window, takes units that are left, and reads it: at once, or not at all. */
  readonly count: (name: string, demand: Demand) => Promise<StoreReply | undefined>;
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
