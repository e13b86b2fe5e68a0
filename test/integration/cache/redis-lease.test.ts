import { RedisLease } from '../../../src/gateway/coordination/redis-lease.js';
import { TestClock } from '../../support/test-clock.js';
import { openTestRedis, type TestRedis } from '../../support/test-redis.js';

/** Longer than a test. The test deletes in Redis what should end earlier. */
const LEASE_MS = 600_000;

describe('RedisLease', () => {
  let server: TestRedis;
  let clock: TestClock;
  let key: string;
  let one: RedisLease;
  let other: RedisLease;

  beforeEach(async () => {
    server = await openTestRedis();
    clock = new TestClock();
    key = server.keys.lock({ endpointId: 'lease', hash: 'lease' }, 'miss');
    const newLease = (): RedisLease => new RedisLease(server.redis, key, LEASE_MS, () => clock.milliseconds);
    [one, other] = [newLease(), newLease()];
  });
  afterEach(async () => {
    await server.client.del(key);
    server.close();
  });

  it('has no owner before it was taken', () => {
    expect(one.isHeld).toBe(false);
  });

  it('reports its owner to every client, and belongs to that owner only', async () => {
    expect(await one.takeOrRenew()).toBe(one.token);
    expect(await other.takeOrRenew()).toBe(one.token);
    expect([one.isHeld, other.isHeld]).toEqual([true, false]);
  });

  it.each(['takeOrRenew', 'renew'] as const)('starts anew with each %s', async (renew) => {
    await one.takeOrRenew();
    clock.advance(LEASE_MS / 2000);
    await server.client.pexpire(key, LEASE_MS / 2);
    await one[renew]();
    clock.advance(LEASE_MS / 2000);
    expect(one.isHeld).toBe(true);
    expect(await server.client.pttl(key)).toBeGreaterThan(LEASE_MS / 2);
  });

  it('ends by its owner’s clock', async () => {
    await one.takeOrRenew();
    clock.advance(LEASE_MS / 1000);
    expect(one.isHeld).toBe(false);
  });

  it('cannot be renewed once it has ended', async () => {
    await one.takeOrRenew();
    clock.advance(LEASE_MS / 1000);
    await server.client.del(key);
    await one.renew();
    expect(one.isHeld).toBe(false);
    expect(await other.takeOrRenew()).toBe(other.token);
    await one.renew();
    expect([one.isHeld, other.isHeld]).toEqual([false, true]);
  });

  it('is free at once when its owner releases it, and not when another client does', async () => {
    await one.takeOrRenew();
    await other.release();
    expect(await other.takeOrRenew()).toBe(one.token);
    await one.release();
    expect(one.isHeld).toBe(false);
    expect(await other.takeOrRenew()).toBe(other.token);
  });

  it('has no known owner and does not belong to this client while Redis does not reply', async () => {
    await one.takeOrRenew();
    server.close();
    expect(await one.takeOrRenew()).toBeUndefined();
    expect(one.isHeld).toBe(false);
    server = await openTestRedis();
  });
});
