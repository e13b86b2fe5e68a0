import { hash } from 'node:crypto';

import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** Values that gateways of the same ClickHouse read for each other, as JSON, for a short time. */
export class RedisVersions<T> {
  /** @param server names the ClickHouse server: gateways of others have other versions. */
  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly server: string,
  ) {}

  readonly get = async (tables: string): Promise<T | undefined> => {
    const text = await this.redis.run((client) => client.get(this.keyOf(tables)));
    if (typeof text !== 'string') return undefined;
    try {
      return JSON.parse(text) as T;
    } catch {
      // Something else wrote the value, which is read again.
      return undefined;
    }
  };

  readonly set = async (tables: string, value: T, lifetimeMs: number): Promise<void> => {
    await this.redis.write((client) =>
      client.set(this.keyOf(tables), JSON.stringify(value), 'PX', lifetimeMs),
    );
  };

  private keyOf(tables: string): string {
    return this.keys.version(hash('sha256', `${this.server}\n${tables}`, 'hex'));
  }
}
