import { LeaderLease, type Lease } from '../../../src/coordination/leader-lease.js';

/** A lease in memory, whose store can be away. */
class MemoryLease implements Lease {
  isAway = false;
  owner = '';

  get isHeld(): boolean {
    return this.owner === 'own';
  }

  readonly takeOrRenew = (): Promise<string | undefined> => {
    if (this.isAway) return Promise.resolve(undefined);
    if (this.owner === '') this.owner = 'own';
    return Promise.resolve(this.owner);
  };

  readonly release = (): Promise<void> => {
    if (this.isHeld) this.owner = '';
    return Promise.resolve();
  };
}

describe('the lease of the leader', () => {
  let lease: MemoryLease;
  let leader: LeaderLease;
  beforeEach(() => {
    lease = new MemoryLease();
    leader = new LeaderLease(lease);
  });

  it('makes nobody leader before it was taken', () => {
    expect(leader.isLeader).toBe(false);
  });

  it('makes its owner the leader, until it is lost or released', async () => {
    await leader.attempt();
    expect(leader.isLeader).toBe(true);
    lease.owner = 'another';
    expect(leader.isLeader).toBe(false);
    lease.owner = '';
    await leader.attempt();
    await leader.release();
    expect(leader.isLeader).toBe(false);
  });

  it('makes each gateway its own leader while the store is away, and the owner alone when it is back', async () => {
    lease.owner = 'another';
    lease.isAway = true;
    await leader.attempt();
    expect(leader.isLeader).toBe(true);
    lease.isAway = false;
    await leader.attempt();
    expect(leader.isLeader).toBe(false);
  });

  it('makes nobody leader after a release while the store is away', async () => {
    lease.isAway = true;
    await leader.attempt();
    await leader.release();
    expect(leader.isLeader).toBe(false);
  });
});
