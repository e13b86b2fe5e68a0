import { LeaderLease, type Lease } from '../../../../src/gateway/coordination/leader-lease.js';

/** A lease in memory, whose store can be unavailable. */
class MemoryLease implements Lease {
  isUnavailable = false;
  owner = '';

  get isHeld(): boolean {
    return this.owner === 'own';
  }

  readonly takeOrRenew = (): Promise<string | undefined> => {
    if (this.isUnavailable) return Promise.resolve(undefined);
    if (this.owner === '') this.owner = 'own';
    return Promise.resolve(this.owner);
  };

  readonly release = (): Promise<void> => {
    if (this.isHeld) this.owner = '';
    return Promise.resolve();
  };
}

describe('LeaderLease', () => {
  let lease: MemoryLease;
  let leader: LeaderLease;
  beforeEach(() => {
    lease = new MemoryLease();
    leader = new LeaderLease(lease);
  });

  it('makes no gateway the leader before the lease is taken', () => {
    expect(leader.isLeader).toBe(false);
  });

  it('makes the owner the leader until it loses or releases the lease', async () => {
    await leader.attempt();
    expect(leader.isLeader).toBe(true);
    lease.owner = 'another';
    expect(leader.isLeader).toBe(false);
    lease.owner = '';
    await leader.attempt();
    await leader.release();
    expect(leader.isLeader).toBe(false);
  });

  it('makes every gateway a leader while the store is unavailable, and only the owner afterwards', async () => {
    lease.owner = 'another';
    lease.isUnavailable = true;
    await leader.attempt();
    expect(leader.isLeader).toBe(true);
    lease.isUnavailable = false;
    await leader.attempt();
    expect(leader.isLeader).toBe(false);
  });

  it('makes no gateway the leader after a release while the store is unavailable', async () => {
    lease.isUnavailable = true;
    await leader.attempt();
    await leader.release();
    expect(leader.isLeader).toBe(false);
  });
});
