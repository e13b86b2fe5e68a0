import { hash } from 'node:crypto';

import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** Values, as JSON, that gateways of the same ClickHouse share for a short time, so that one read serves all. */
export class RedisVersions<T> {
  /** @param server name of the ClickHouse server, because each server has its own versions. */
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
      // Another program wrote the value, so the caller reads the version again.
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
