import type { Quota } from './limit-rules.js';

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
  readonly givePermit: (permit: Permit) => Promise<void>;
  /** Counts requests in this process as far as it may; absent where each of them is added. */
  readonly quotas?: SharedQuotas;
}

/** What a quota is counted under. */
export interface NamedQuota extends Quota {
  readonly name: string;
}

/** A window with one more unit taken of its quota, or none, where nothing is left. */
export interface TakenUnit extends SharedWindow {
  /** Takes it back; absent where none was taken. */
  readonly giveBack?: () => void;
}

/**
 * Quotas that processes share, of which each holds units that it may use without asking. All processes together use no
 * more than the quota in a window.
 */
export interface SharedQuotas {
  /** Whether a unit of each is held here. */
  readonly holds: (limits: readonly NamedQuota[]) => boolean;
  /** Takes a unit of each, and gives how their windows stand then; undefined, and none is taken, where one is not held here. */
  readonly takeHeld: (limits: readonly NamedQuota[]) => readonly SharedWindow[] | undefined;
  /** Takes a unit, asking for it; undefined where the shared place is out of reach. Never fails or hangs. */
  readonly take: (limit: NamedQuota) => Promise<TakenUnit | undefined>;
}

export interface Permit {
  /** Of what it is one. */
  readonly name: string;
  /** Of its holder alone. */
  readonly token: string;
}
