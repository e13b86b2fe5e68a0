import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** The use of an endpoint that a gateway publishes. */
export interface PublishedUsage {
  readonly endpointId: string;
  /** Id of the gateway. */
  readonly gateway: string;
  readonly json: string;
}

/**
 * Adds a gateway to the set of those that published recently, and removes expired ones. Uses the clock of Redis,
 * because a gateway with a fast clock would remove all others. KEYS: the set of gateways; ARGV: this one,
 * milliseconds until it expires.
 */
const NOTE_GATEWAY = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[2])
  redis.call('zadd', KEYS[1], now, ARGV[1])
  return redis.call('pexpire', KEYS[1], ARGV[2])`;

/**
 * Publishes the use of endpoints in Redis: one key for each gateway and endpoint, and a set of these gateways. All
 * keys expire. Both methods return undefined while Redis is unavailable.
 */
export class RedisUsageBoard {
  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
  ) {}

  /** Replaces what the gateway published of the endpoint before. @param retentionMs until it expires. */
  write({ endpointId, gateway, json }: PublishedUsage, retentionMs: number): Promise<true | undefined> {
    return this.redis.write(async (client) => {
      await client.eval(NOTE_GATEWAY, 1, this.keys.gateways(endpointId), gateway, retentionMs);
      await client.set(this.keys.usage(endpointId, gateway), json, 'PX', retentionMs);
      return true as const;
    });
  }

  /** Reads what all other gateways published of an endpoint. */
  readOthers(endpointId: string, own: string): Promise<readonly string[] | undefined> {
    return this.redis.read(async (client) => {
      const gateways = await client.zrange(this.keys.gateways(endpointId), '0', '-1');
      const others = gateways.filter((gateway) => gateway !== own);
      const published = await Promise.all(
        others.map((gateway) => client.get(this.keys.usage(endpointId, gateway))),
      );
      return published.filter((json) => json !== null);
    });
  }
}
