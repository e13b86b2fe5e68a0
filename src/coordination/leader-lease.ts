/** A lease that only one of several gateways can hold. */
export interface Lease {
  /** Whether this gateway holds it and has renewed it in time by its own clock. */
  readonly isHeld: boolean;
  /** @returns the owner's token; undefined where the store of the lease does not reply. */
  readonly takeOrRenew: () => Promise<string | undefined>;
  readonly release: () => Promise<void>;
}

/** Which of several gateways warms: the one that holds the lease, or each for itself while its store does not reply. */
export class LeaderLease {
  private alone = false;

  constructor(private readonly lease: Lease) {}

  get isLeader(): boolean {
    return this.alone || this.lease.isHeld;
  }

  /** Takes or renews the lease; to be called several times within its length. */
  async attempt(): Promise<void> {
    this.alone = (await this.lease.takeOrRenew()) === undefined;
  }

  async release(): Promise<void> {
    this.alone = false;
    await this.lease.release();
  }
}
