/** What a gateway requests of a window in the shared store. */
export interface Demand {
  readonly quota: number;
  /** Milliseconds until the gateway's window ends; a window that starts in the store gets the same length. */
  readonly msLeft: number;
  /** The count of this window in the store's last reply. A store that has lost the window starts a new one with this count. */
  readonly known: number;
  /** Units that the gateway spent without the store; negative: units that it gives back. */
  readonly owed: number;
  /** Units to take if they are left: at most `wanted`, and at most the greater of `atLeast` and a hundredth of what is left. */
  readonly wanted: number;
  readonly atLeast: number;
  /** Times on the store's clock; absent until the gateway knows that clock. */
  readonly times?: DemandTimes | undefined;
}

/** Milliseconds since 1970. */
export interface DemandTimes {
  /** When the demand was sent. It is void once its timeout has passed, because a store that stalled may read it long after. */
  readonly sentAt: number;
  /** When the gateway's window ends; `known` and `owed` apply to this window only. */
  readonly windowEndsAt: number;
}

/** The reply of the store. */
export interface StoreReply {
  /** Time on the store's clock; milliseconds since 1970. */
  readonly time: number;
  /** The window after the demand; undefined where the demand was void. */
  readonly window?: StoreWindow | undefined;
}

/** A window after a demand: `count` includes the units that were granted and those that were owed. */
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
  /** Adds owed units to a window, takes units that are left, and reads the window, all in one atomic step. */
  readonly count: (name: string, demand: Demand) => Promise<StoreReply | undefined>;
  /** Takes one of at most `max` permits. A permit expires if its owner never returns it. */
  readonly takePermit: (permit: Permit, max: number) => Promise<boolean | undefined>;
  readonly returnPermit: (permit: Permit) => Promise<void>;
}

export interface Permit {
  /** Name of the counter of the limit. */
  readonly name: string;
  /** Random text of the owner of the permit. */
  readonly token: string;
}
