import { randomBytes } from 'node:crypto';

import type { GuardedRedis } from './guarded-redis.js';

/**
 * Takes a free key, or renews one, and gives the token of its owner then. KEYS: the key; ARGV: token, milliseconds that it
 * lives from now on. A full Redis refuses SET and not PEXPIRE, so that an owner can still renew.
 */
const TAKE_OR_RENEW = `
  local owner = redis.call('get', KEYS[1])
  if owner == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) end
  if owner then return owner end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]`;

/** KEYS: the key; ARGV: token, milliseconds that it lives from now on. Gives 1 where the token still holds it. */
const RENEW_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('pexpire', KEYS[1], ARGV[2])`;

/** KEYS: the key; ARGV: token. Gives 1 where the token still held it. */
const DELETE_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('del', KEYS[1])`;

/** A lease that one of several gateways holds: a key in Redis with its owner's token, which ends if the owner dies. */
export class RedisLease {
  readonly token = randomBytes(16).toString('hex');
  private expiresAt = -Infinity;

  /** @param now a steady clock in milliseconds. */
  constructor(
    private readonly redis: GuardedRedis,
    private readonly key: string,
    private readonly leaseMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether it is held by the clock of this process, which may see its end before Redis does, and never after. */
  get isHeld(): boolean {
    return this.now() < this.expiresAt;
  }

  /** @returns the owner's token then, its own where it was free; undefined where Redis does not reply. */
  async takeOrRenew(): Promise<string | undefined> {
    const until = this.now() + this.leaseMs;
    const owner = await this.redis.touch((client) =>
      client.eval(TAKE_OR_RENEW, 1, this.key, this.token, this.leaseMs),
    );
    this.expiresAt = owner === this.token ? until : -Infinity;
    return typeof owner === 'string' ? owner : undefined;
  }

  /** Renews it; one that has ended is not taken again, since another may have held it meanwhile. */
  async renew(): Promise<void> {
    const until = this.now() + this.leaseMs;
    const reply = await this.redis.touch((client) =>
      client.eval(RENEW_IF_HELD, 1, this.key, this.token, this.leaseMs),
    );
    if (reply === 1) this.expiresAt = until;
  }

  /** Gives it back, so that another need not wait for its end. */
  async release(): Promise<void> {
    this.expiresAt = -Infinity;
    await this.redis.touch((client) => client.eval(DELETE_IF_HELD, 1, this.key, this.token));
  }
}
