import { randomUUID } from 'node:crypto';

import type { ParameterValue } from '../endpoint/parameters.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { keyOf } from '../execution/call.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { UsageLedger, UsedSet } from '../warming/usage-ledger.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** After so long without a word of any gateway, what was used is forgotten. */
const KEEP_SECONDS = 3 * 3600;

interface SharedSet {
  readonly values: Readonly<Record<string, ParameterValue | null>>;
  readonly scope: string;
  readonly askedAt: number;
  readonly asks: number;
  readonly bornAt: number;
}

/**
 * What all gateways are asked: each writes its own sets into one hash an endpoint, in fields `GATEWAY:HASH`, and the
 * one that warms reads them all.
 */
export class RedisUsage {
  private readonly gateway = randomUUID();
  /** `asks` of each set when it was written last. */
  private readonly written = new Map<string, number>();

  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly ledger: UsageLedger,
    private readonly endpoints: EndpointRegistry,
  ) {}

  /** Writes the sets that were asked for since the last time. */
  async publish(): Promise<void> {
    for (const { id } of this.endpoints.all()) {
      const changed = this.ledger.sets(id).filter((set) => this.written.get(set.key.hash) !== set.asks);
      if (changed.length === 0) continue;
      const fields = changed.flatMap((set) => [
        `${this.gateway}:${set.key.hash}`,
        JSON.stringify(shared(set)),
      ]);
      const done = await this.redis.write(async (client) => {
        await client.hset(this.keys.usage(id), ...fields);
        return client.expire(this.keys.usage(id), KEEP_SECONDS);
      });
      if (done !== undefined) for (const set of changed) this.written.set(set.key.hash, set.asks);
    }
  }

  /** The sets of an endpoint that any gateway was asked for; this process's own where Redis does not answer. */
  async sets(endpointId: string): Promise<readonly UsedSet[]> {
    const own = this.ledger.sets(endpointId);
    const fields = await this.redis.read((client) => client.hgetall(this.keys.usage(endpointId)));
    const merged = new Map<string, UsedSet>();
    const others = Object.entries(fields ?? {}).filter(([field]) => !field.startsWith(this.gateway));
    for (const set of [...own, ...others.flatMap(([field, json]) => this.parse(endpointId, field, json))]) {
      merged.set(set.key.hash, mergeSets(merged.get(set.key.hash), set));
    }
    return [...merged.values()];
  }

  /** Forgets a set that nobody asks for any more, whoever was asked for it. */
  async forget(key: CacheKey): Promise<void> {
    this.ledger.forget(key);
    this.written.delete(key.hash);
    const name = this.keys.usage(key.endpointId);
    await this.redis.write(async (client) => {
      const fields = (await client.hkeys(name)).filter((field) => field.endsWith(`:${key.hash}`));
      return fields.length === 0 ? 0 : client.hdel(name, ...fields);
    });
  }

  /**
   * A set written by a gateway with another definition of the endpoint has another hash, and is left to that one; what
   * is no set at all is ignored.
   */
  private parse(endpointId: string, field: string, json: string): readonly UsedSet[] {
    const endpoint = this.endpoints.find(endpointId);
    if (!endpoint) return [];
    try {
      const { values, scope, askedAt, asks, bornAt } = JSON.parse(json) as SharedSet;
      const question = { endpoint, values: new Map(Object.entries(values)), scope };
      const key = keyOf(question);
      return field.endsWith(`:${key.hash}`) ? [{ key, question, askedAt, asks, bornAt }] : [];
    } catch {
      return [];
    }
  }
}

function shared({ question, askedAt, asks, bornAt }: UsedSet): SharedSet {
  return { values: Object.fromEntries(question.values), scope: question.scope, askedAt, asks, bornAt };
}

function mergeSets(a: UsedSet | undefined, b: UsedSet): UsedSet {
  if (!a) return b;
  return {
    ...a,
    askedAt: Math.max(a.askedAt, b.askedAt),
    asks: a.asks + b.asks,
    bornAt: Math.max(a.bornAt, b.bornAt),
  };
}
