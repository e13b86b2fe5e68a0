import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** What a gateway publishes of an endpoint. */
export interface UsageWords {
  readonly endpointId: string;
  /** Its sender. */
  readonly gateway: string;
  /** When; milliseconds since 1970. */
  readonly at: number;
  readonly words: string;
}

/**
 * Where gateways publish what they are asked: in Redis one key for each gateway and endpoint, and a set of those gateways.
 * All expire. `undefined` stands for a Redis that is away.
 */
export class RedisUsageBoard {
  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
  ) {}

  /** Replaces what the gateway published of the endpoint before; it lasts for so many milliseconds. */
  write({ endpointId, gateway, at, words }: UsageWords, keptMs: number): Promise<true | undefined> {
    const gateways = this.keys.gateways(endpointId);
    return this.redis.write(async (client) => {
      await client.zadd(gateways, at, gateway);
      await client.zremrangebyscore(gateways, '-inf', String(at - keptMs));
      await client.pexpire(gateways, keptMs);
      await client.set(this.keys.usage(endpointId, gateway), words, 'PX', keptMs);
      return true as const;
    });
  }

  /** What all other gateways published of an endpoint. */
  readOthers(endpointId: string, own: string): Promise<readonly string[] | undefined> {
    return this.redis.read(async (client) => {
      const gateways = await client.zrange(this.keys.gateways(endpointId), '0', '-1');
      const others = gateways.filter((gateway) => gateway !== own);
      const words = await Promise.all(
        others.map((gateway) => client.get(this.keys.usage(endpointId, gateway))),
      );
      return words.filter((text) => text !== null);
    });
  }
}
