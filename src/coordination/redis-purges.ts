import { Cluster } from 'ioredis';

import type { PurgeScope } from '../query/result-store.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisKeys } from './redis-keys.js';

/** Longer than any gateway can be without Redis and still hold an answer from before. */
const REMEMBERED_SECONDS = 24 * 3600;
/** Purges that Redis did not take; of more than these, all together are one purge of everything. */
const MAX_UNPUBLISHED = 100;

/**
 * Tells all gateways of a purge, through a channel; and leaves word of it, for those that had no connection then and
 * come back with answers from before.
 */
export class RedisPurges {
  private readonly subscriber: RedisClient;
  private unpublished: readonly PurgeScope[] = [];

  constructor(
    client: RedisClient,
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly onPurge: (scope: PurgeScope) => void,
  ) {
    this.subscriber = duplicate(client);
    // Its trouble is that of the connection it was made from, which is logged there.
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('ready', () => void this.listen().catch(() => undefined));
    this.subscriber.on('message', (_channel: string, message: string) => {
      this.heard(message);
    });
  }

  /**
   * Broadcasts a purge; what Redis does not accept now is sent by {@link publishAgain}.
   *
   * @param scope with the time of the purge as `createdUntil`.
   * @returns whether Redis accepted it.
   */
  async publish(scope: PurgeScope): Promise<boolean> {
    if (await this.send(scope)) return true;
    this.unpublished =
      this.unpublished.length < MAX_UNPUBLISHED
        ? [...this.unpublished, scope]
        : [purgeAllUntil([...this.unpublished, scope])];
    return false;
  }

  /** Broadcasts the purges that Redis did not accept before; called every second or so. */
  async publishAgain(): Promise<void> {
    for (const scope of this.unpublished) {
      if (!(await this.send(scope))) return;
      this.unpublished = this.unpublished.filter((other) => other !== scope);
    }
  }

  private async send(scope: PurgeScope): Promise<boolean> {
    const { endpointId = '', hash = '' } = scope;
    const message = JSON.stringify(scope);
    const published = await this.redis.touch(async (client) => {
      await client.hset(this.keys.purges, `${endpointId}:${hash}`, message);
      await client.expire(this.keys.purges, REMEMBERED_SECONDS);
      return client.publish(this.keys.purges, message);
    });
    return published !== undefined;
  }

  close(): void {
    this.subscriber.disconnect();
  }

  private async listen(): Promise<void> {
    await this.subscriber.subscribe(this.keys.purges);
    const missed = await this.redis.read((client) => client.hvals(this.keys.purges));
    for (const message of missed ?? []) this.heard(message);
  }

  /** Whoever can write to Redis can write here: what is no purge is ignored. */
  private heard(message: string): void {
    const scope = scopeIn(message);
    if (scope) this.onPurge(scope);
  }
}

function purgeAllUntil(scopes: readonly PurgeScope[]): PurgeScope {
  return { createdUntil: Math.max(...scopes.map(({ createdUntil = 0 }) => createdUntil)) };
}

function scopeIn(message: string): PurgeScope | undefined {
  try {
    const scope: unknown = JSON.parse(message);
    return typeof scope === 'object' && scope !== null ? scope : undefined;
  } catch {
    return undefined;
  }
}

/** The types of the two kinds of client share no signature of it. */
function duplicate(client: RedisClient): RedisClient {
  return client instanceof Cluster ? client.duplicate() : client.duplicate();
}
