import { randomBytes } from 'node:crypto';

/** A lease that only one of several gateways can hold. `undefined` stands for a store that does not answer. */
export interface LeaseStore {
  /** Whether the token holds the lease, for so many milliseconds from now on. */
  readonly takeOrRenew: (token: string, leaseMs: number) => Promise<boolean | undefined>;
  readonly release: (token: string) => Promise<void>;
}

/**
 * Which of several gateways warms: the one that holds the lease and has renewed it in time by its own clock. When the
 * lease's store does not answer, each gateway warms for itself.
 */
export class LeaderLease {
  private readonly token = randomBytes(16).toString('hex');
  private heldUntil = 0;
  private alone = false;

  /** @param now a steady clock in milliseconds. */
  constructor(
    private readonly store: LeaseStore,
    private readonly leaseMs: number,
    private readonly now: () => number,
  ) {}

  get isLeader(): boolean {
    return this.alone || this.now() < this.heldUntil;
  }

  /** Takes or renews the lease; to be called several times within its length. */
  async attempt(): Promise<void> {
    // What is counted from before the request can only end too early.
    const asked = this.now();
    const held = await this.store.takeOrRenew(this.token, this.leaseMs);
    this.alone = held === undefined;
    this.heldUntil = held ? asked + this.leaseMs : 0;
  }

  /** Gives the lease back, so that another need not wait for its end. */
  async release(): Promise<void> {
    this.heldUntil = 0;
    this.alone = false;
    await this.store.release(this.token);
  }
}
