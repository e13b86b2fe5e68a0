import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** What a gateway publishes of an endpoint. */
export interface PublishedUsage {
  readonly endpointId: string;
  /** Its sender. */
  readonly gateway: string;
  readonly json: string;
}

/**
 * Notes a gateway among those that were asked lately, and drops the others that were not: by Redis's own clock, since a
 * gateway with a fast one would drop all others. KEYS: the set of gateways; ARGV: this one, milliseconds that its words last.
 */
const NOTE_GATEWAY = `
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[2])
  redis.call('zadd', KEYS[1], now, ARGV[1])
  return redis.call('pexpire', KEYS[1], ARGV[2])`;

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
  write({ endpointId, gateway, json: words }: PublishedUsage, keptMs: number): Promise<true | undefined> {
    return this.redis.write(async (client) => {
      await client.eval(NOTE_GATEWAY, 1, this.keys.gateways(endpointId), gateway, keptMs);
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
