import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';

import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Value } from '../../endpoint/values.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { JSON_REPRESENTATION, REPRESENTATIONS } from '../formats/representation.js';
import { keyOf, type CacheKey } from '../query/cache-key.js';
import { unlessFromFuture } from '../query/clock-skew.js';
import type { Clock } from '../query/ports.js';
import type { RedisUsageBoard } from './redis-usage.js';
import { mergeUse, mostUsedFirst, type UsageLedger, type UsedSet } from './usage-ledger.js';

/** Warming intervals after which an unused set is no longer published, and a publication expires. */
const RETENTION_INTERVALS = 3;
/** How many forgotten sets are remembered, because another gateway may still publish them. */
const MAX_FORGOTTEN = 10_000;

interface PublishedSet {
  readonly hash: string;
  readonly values: Readonly<Record<string, Value>>;
  readonly scope: string;
  /** Absent for JSON. */
  readonly representation?: string;
  readonly lastUsedAt: number;
  readonly uses: number;
  readonly weight?: number;
  readonly createdAt: number;
  readonly clickhouseMs?: number | undefined;
}

export interface GatewaysUsageDependencies {
  readonly board: Pick<RedisUsageBoard, 'write' | 'readOthers'>;
  readonly ledger: UsageLedger;
  readonly endpoints: Endpoints;
  /** How many sets of an endpoint a gateway publishes, the most used first. */
  readonly maxSets: number;
  readonly clock: Clock;
}

/**
 * The parameter sets that all gateways use: for each endpoint with warming, each gateway publishes its most used
 * sets, and the leader reads all of them. Publications of a stopped gateway expire.
 */
export class GatewaysUsage {
  private readonly gateway = randomUUID();
  /** The JSON that was published last, by endpoint id. */
  private readonly published = new Map<string, string>();
  /** When a set was forgotten, by its hash; milliseconds since 1970. */
  private readonly forgotten = new LRUCache<string, number>({ max: MAX_FORGOTTEN });

  constructor(private readonly dependencies: GatewaysUsageDependencies) {}

  /** Publishes the sets whose use has changed since the last call. */
  async publish(): Promise<void> {
    for (const endpoint of this.dependencies.endpoints.all()) {
      if (endpoint.settings.warming > 0) await this.publishEndpoint(endpoint);
    }
  }

  /** The sets of an endpoint that any gateway uses; only those of this process while Redis is unavailable. */
  async sets(endpointId: string): Promise<readonly UsedSet[]> {
    const endpoint = this.dependencies.endpoints.find(endpointId);
    const others = endpoint ? await this.setsOfOthers(endpoint) : [];
    const now = this.now();
    const merged = new Map<string, UsedSet>();
    for (const set of [...this.dependencies.ledger.sets(endpointId, now), ...others]) {
      const known = merged.get(set.key.hash);
      merged.set(set.key.hash, known ? mergeUse(known, set) : set);
    }
    const forgottenAt = ({ hash }: CacheKey): number => unlessFromFuture(this.forgotten.get(hash) ?? 0, now);
    return [...merged.values()].filter(({ key, lastUsedAt }) => lastUsedAt > forgottenAt(key));
  }

  /** Forgets a set until it is used again. */
  forget(key: CacheKey): void {
    this.dependencies.ledger.forget(key);
    this.forgotten.set(key.hash, this.now());
  }

  private async publishEndpoint(endpoint: Endpoint): Promise<void> {
    const { ledger, maxSets, board } = this.dependencies;
    const retentionMs = RETENTION_INTERVALS * endpoint.settings.warming * 1000;
    const now = this.now();
    const sets = ledger
      .sets(endpoint.id, now)
      .filter(({ lastUsedAt }) => lastUsedAt > now - retentionMs && lastUsedAt <= now)
      .toSorted(mostUsedFirst)
      .slice(0, maxSets)
      .map(toPublished);
    const json = JSON.stringify(sets);
    if (json === (this.published.get(endpoint.id) ?? '[]')) return;
    const written = await board.write({ endpointId: endpoint.id, gateway: this.gateway, json }, retentionMs);
    if (written !== undefined) this.published.set(endpoint.id, json);
  }

  private async setsOfOthers(endpoint: Endpoint): Promise<readonly UsedSet[]> {
    const json = await this.dependencies.board.readOthers(endpoint.id, this.gateway);
    const now = this.now();
    return (json ?? []).flatMap((text) => setsIn(endpoint, text)).map((set) => withoutFuture(set, now));
  }

  private now(): number {
    return this.dependencies.clock().getTime();
  }
}

/**
 * Reads the sets that a gateway published; empty if the JSON is invalid. Skips a set whose hash differs: that gateway
 * has another definition of the endpoint.
 */
function setsIn(endpoint: Endpoint, json: string): readonly UsedSet[] {
  try {
    return (JSON.parse(json) as readonly PublishedSet[]).flatMap(
      ({ hash, values, scope, representation: name, ...facts }) => {
        const representation = REPRESENTATIONS.get(name ?? JSON_REPRESENTATION.name);
        // A later version published it.
        if (!representation) return [];
        const query = { endpoint, values: new Map(Object.entries(values)), scope, representation };
        const key = keyOf(query);
        if (key.hash !== hash) return [];
        // Earlier versions publish neither.
        const { weight = facts.uses, clickhouseMs } = facts;
        return [{ key, query, ...facts, weight, clickhouseMs }];
      },
    );
  } catch {
    return [];
  }
}

/** Corrects times that a gateway with a fast clock published. */
function withoutFuture(set: UsedSet, now: number): UsedSet {
  return {
    ...set,
    lastUsedAt: Math.min(set.lastUsedAt, now),
    createdAt: unlessFromFuture(set.createdAt, now),
  };
}

function toPublished({ key, query, lastUsedAt, uses, ...costs }: UsedSet): PublishedSet {
  const { weight, createdAt, clickhouseMs } = costs;
  const values = Object.fromEntries(query.values);
  const { scope, representation = JSON_REPRESENTATION } = query;
  const other = representation === JSON_REPRESENTATION ? {} : { representation: representation.name };
  return {
    hash: key.hash,
    values,
    scope,
    ...other,
    lastUsedAt,
    uses,
    weight,
    createdAt,
    clickhouseMs,
  };
}
