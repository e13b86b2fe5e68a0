import { randomUUID } from 'node:crypto';

import type { ResultLease } from '../query/result-store.js';
import type { GuardedRedis } from './guarded-redis.js';

/**
 * Takes the lease if it is free, or renews it, and returns the token of its owner. KEYS: the key; ARGV: token, milliseconds until the lease
 * expires. A full Redis rejects SET but not PEXPIRE, so that an owner can still renew.
 */
export const TAKE_OR_RENEW = `
  local owner = redis.call('get', KEYS[1])
  if owner == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) end
  if owner then return owner end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]`;

/** KEYS: the key; ARGV: token, milliseconds until the lease expires. Returns 1 if the token still owns the lease. */
const RENEW_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('pexpire', KEYS[1], ARGV[2])`;

/** KEYS: the key; ARGV: token. Returns 1 if the token still owned the lease. */
const DELETE_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('del', KEYS[1])`;

/** A lease in Redis: a key that contains the owner's token, and expires unless the owner renews it. */
export class RedisLease implements ResultLease {
  /** Token of this process. A UUID is cheap, because Node.js takes UUIDs from a pool of random bytes. */
  readonly token = randomUUID().replaceAll('-', '');
  isAsked = false;
  /** Token of the owner at the last request for the lease. Undefined where Redis did not reply. */
  owner: string | undefined;
  private expiresAt = -Infinity;

  /** @param now monotonic clock in milliseconds. */
  constructor(
    private readonly redis: GuardedRedis,
    readonly key: string,
    readonly ms: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether this process owns the lease. The lease expires here before it expires in Redis, never after. */
  get isHeld(): boolean {
    return this.now() < this.expiresAt;
  }

  /** @returns the token of the owner, which is the own token if the lease was free; undefined if Redis does not reply. */
  async takeOrRenew(): Promise<string | undefined> {
    const note = this.ask();
    note(await this.redis.run((client) => client.eval(TAKE_OR_RENEW, 1, this.key, this.token, this.ms)));
    return this.owner;
  }

  readonly ask = (): ((owner: unknown) => void) => {
    const expiresAt = this.now() + this.ms;
    return (owner) => {
      this.isAsked = true;
      this.owner = typeof owner === 'string' ? owner : undefined;
      this.expiresAt = owner === this.token ? expiresAt : -Infinity;
    };
  };

  /** Renews the lease. It does not take an expired lease again, because that may have had another owner since. */
  async renew(): Promise<void> {
    const expiresAt = this.now() + this.ms;
    const reply = await this.redis.run((client) =>
      client.eval(RENEW_IF_HELD, 1, this.key, this.token, this.ms),
    );
    if (reply === 1) this.expiresAt = expiresAt;
  }

  /** Releases the lease, so that another process can take it at once. */
  async release(): Promise<void> {
    this.end();
    await this.redis.run((client) => client.eval(DELETE_IF_HELD, 1, this.key, this.token));
  }

  readonly end = (): void => {
    this.expiresAt = -Infinity;
  };
}
