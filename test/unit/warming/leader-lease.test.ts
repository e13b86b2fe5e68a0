import { LeaderLease, type LeaseStore } from '../../../src/warming/leader-lease.js';
import { TestClock } from '../../support/test-clock.js';

const LEASE_MS = 3000;

/** A lease in memory, which can be away. */
class MemoryLease implements LeaseStore {
  isAway = false;
  private holder = '';
  private until = 0;

  constructor(private readonly clock: TestClock) {}

  readonly takeOrRenew = (token: string, leaseMs: number): Promise<boolean | undefined> => {
    if (this.isAway) return Promise.resolve(undefined);
    if (this.clock.milliseconds < this.until && this.holder !== token) return Promise.resolve(false);
    [this.holder, this.until] = [token, this.clock.milliseconds + leaseMs];
    return Promise.resolve(true);
  };

  readonly release = (token: string): Promise<void> => {
    if (!this.isAway && this.holder === token) this.until = 0;
    return Promise.resolve();
  };
}

function newLeases(): { clock: TestClock; store: MemoryLease; one: LeaderLease; other: LeaderLease } {
  const clock = new TestClock();
  const store = new MemoryLease(clock);
  const newLease = (): LeaderLease => new LeaderLease(store, LEASE_MS, () => clock.milliseconds);
  return { clock, store, one: newLease(), other: newLease() };
}

describe('the lease of the leader', () => {
  it('makes nobody leader before it was taken', () => {
    expect(newLeases().one.isLeader).toBe(false);
  });

  it('is held by one of two, for as long as it renews it', async () => {
    const { clock, one, other } = newLeases();
    for (let second = 0; second < 20; second += 1) {
      await one.attempt();
      await other.attempt();
      expect([one.isLeader, other.isLeader]).toEqual([true, false]);
      clock.advance(1);
    }
  });

  it('ends by the leader’s own clock when it can’t renew it in time', async () => {
    const { clock, one, other } = newLeases();
    await one.attempt();
    clock.advance(LEASE_MS / 1000);
    expect(one.isLeader).toBe(false);
    await other.attempt();
    expect(other.isLeader).toBe(true);
    await one.attempt();
    expect(one.isLeader).toBe(false);
  });

  it('is free at once when it was given back', async () => {
    const { one, other } = newLeases();
    await one.attempt();
    await one.release();
    await other.attempt();
    expect([one.isLeader, other.isLeader]).toEqual([false, true]);
  });

  it('is not given back by one that does not hold it', async () => {
    const { one, other } = newLeases();
    await one.attempt();
    await other.release();
    await other.attempt();
    expect(other.isLeader).toBe(false);
  });

  it('makes each its own leader while the store is away, and one of them when it is back', async () => {
    const { clock, store, one, other } = newLeases();
    store.isAway = true;
    await Promise.all([one.attempt(), other.attempt()]);
    clock.advance(60);
    expect([one.isLeader, other.isLeader]).toEqual([true, true]);
    store.isAway = false;
    await one.attempt();
    await other.attempt();
    expect([one.isLeader, other.isLeader]).toEqual([true, false]);
  });
});
