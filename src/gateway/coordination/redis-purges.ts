import { Cluster, Redis } from 'ioredis';

import type { PurgeScope } from '../query/result-store.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Time for which purges remain in Redis after the latest one. A gateway that is disconnected for longer misses them. It can then serve a
 * purged result if the endpoint's `caching` plus `staleIfError` exceeds this time too.
 */
const RETENTION_SECONDS = 24 * 3600;
/** Maximum number of purges stored for another attempt. If one more comes, all are merged into one purge of everything. */
const MAX_UNPUBLISHED = 100;

/** A gateway reads the purges in a Cluster at every tenth call of `publishAgain`. */
const CLUSTER_TURNS = 10;

/**
 * Broadcasts purges to all gateways through a channel of Redis. It also stores them in a Redis hash for disconnected gateways, which apply
 * them when they reconnect.
 */
export class RedisPurges {
  private readonly subscriber: RedisClient;
  private unpublished: readonly PurgeScope[] = [];
  /** Whether purges may have been missed that Redis has not returned yet: its circuit breaker can still be open. */
  private mayHaveMissed = false;
  /** Number of calls of {@link publishAgain}. */
  private turns = 0;

  constructor(
    client: RedisClient,
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly onPurge: (scope: PurgeScope) => void,
  ) {
    this.subscriber = duplicate(client);
    // The circuit breaker of the main connection logs the same errors.
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('ready', () => void this.listen());
    // After a failover the address leads to another server, to which the subscription must move too.
    client.on('ready', () => {
      this.mayHaveMissed = true;
      if (this.subscriber.status === 'ready') this.reconnect();
    });
    this.subscriber.on('message', (_channel: string, message: string) => {
      this.apply(message);
    });
  }

  /**
   * Broadcasts a purge. If Redis does not accept it, {@link publishAgain} sends it later.
   *
   * @param scope scope of the purge, whose `createdUntil` is the time of the purge.
   * @returns whether Redis accepted the purge.
   */
  async publish(scope: PurgeScope): Promise<boolean> {
    if (await this.send(scope)) return true;
    this.unpublished =
      this.unpublished.length < MAX_UNPUBLISHED
        ? [...this.unpublished, scope]
        : [purgeAllUntil([...this.unpublished, scope])];
    return false;
  }

  /** Broadcasts the purges that Redis did not accept before, and applies those missed. Must be called about once a second. */
  async publishAgain(): Promise<void> {
    // Without a command that expects a reply, a connection whose other end has disappeared would never be closed.
    if (this.subscriber instanceof Redis) void this.subscriber.ping().catch(() => undefined);
    // A Cluster moves the subscription of a lost node without an event.
    else this.mayHaveMissed ||= (this.turns += 1) % CLUSTER_TURNS === 0;
    if (this.mayHaveMissed) await this.catchUp();
    for (const scope of this.unpublished) {
      if (!(await this.send(scope))) return;
      this.unpublished = this.unpublished.filter((other) => other !== scope);
    }
  }

  private async send(scope: PurgeScope): Promise<boolean> {
    const { endpointId = '', hash = '' } = scope;
    const message = JSON.stringify(scope);
    const published = await this.redis.run(async (client) => {
      await client.hset(this.keys.purges, `${endpointId}:${hash}`, message);
      await client.expire(this.keys.purges, RETENTION_SECONDS);
      return client.publish(this.keys.purges, message);
    });
    return published !== undefined;
  }

  close(): void {
    this.subscriber.disconnect();
  }

  /** Never rejects. */
  private async listen(): Promise<void> {
    try {
      await this.subscriber.subscribe(this.keys.purges);
      this.mayHaveMissed = true;
      await this.catchUp();
    } catch {
      this.reconnect();
    }
  }

  /** The client subscribes again when it is ready. A Cluster moves its subscription itself. */
  private reconnect(): void {
    if (this.subscriber instanceof Redis) this.subscriber.disconnect(true);
  }

  private async catchUp(): Promise<void> {
    const missed = await this.redis.run((client) => client.hvals(this.keys.purges));
    if (!missed) return;
    this.mayHaveMissed = false;
    for (const message of missed) this.apply(message);
  }

  /** Applies a purge. It ignores messages that are not purges with a time, because anyone with access to Redis can send them. */
  private apply(message: string): void {
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
    return isTimedScope(scope) ? scope : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a message has a time. Without a time, a purge would have no bound, and `{}` would purge everything. */
function isTimedScope(value: unknown): value is PurgeScope {
  return (
    typeof value === 'object' &&
    value !== null &&
    'createdUntil' in value &&
    typeof value.createdUntil === 'number'
  );
}

/** Duplicates a client. ioredis's own second subscription after a reconnect would reject a promise that nothing handles. */
function duplicate(client: RedisClient): RedisClient {
  return client instanceof Cluster ? client.duplicate() : client.duplicate({ autoResubscribe: false });
}
