/** A lease that only one gateway holds at a time. */
export interface Lease {
  /** Whether this gateway owns the lease, and renewed it in time by its own clock. */
  readonly isHeld: boolean;
  /** @returns the token of the owner; undefined if Redis does not reply. */
  readonly takeOrRenew: () => Promise<string | undefined>;
  readonly release: () => Promise<void>;
}

/** Decides which gateway warms: the owner of the lease, or every gateway while Redis does not reply. */
export class LeaderLease {
  private isAlone = false;

  constructor(private readonly lease: Lease) {}

  get isLeader(): boolean {
    return this.isAlone || this.lease.isHeld;
  }

  /** Takes or renews the lease; to be called several times within its duration. */
  async attempt(): Promise<void> {
    this.isAlone = (await this.lease.takeOrRenew()) === undefined;
  }

  async release(): Promise<void> {
    this.isAlone = false;
    await this.lease.release();
  }
}
