import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { ParameterValue } from '../endpoint/parameters/parameter.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { JSON_REPRESENTATION, REPRESENTATIONS } from '../formats/representation.js';
import type { CacheKey } from '../query/cache-key.js';
import { keyOf } from '../query/call.js';
import { unlessFromFuture } from '../query/clock-skew.js';
import type { Clock } from '../query/ports.js';
import { mergeUse, mostUsedFirst, type UsageLedger, type UsedSet } from '../warming/usage-ledger.js';
import type { RedisUsageBoard } from './redis-usage.js';

/** Intervals of an endpoint after which a set that nobody asked for is no longer published of, nor kept. */
const KEPT_INTERVALS = 3;
/** Sets that were forgotten, with when they had been asked for last: another gateway may still tell of them. */
const REMEMBERED_FORGOTTEN = 10_000;

interface PublishedSet {
  readonly hash: string;
  readonly values: Readonly<Record<string, ParameterValue | null>>;
  readonly scope: string;
  /** Absent for JSON, and from gateways of an earlier version, which know no other. */
  readonly representation?: string;
  readonly lastUsedAt: number;
  readonly uses: number;
  readonly weight?: number;
  readonly createdAt: number;
  readonly clickhouseMs?: number | undefined;
}

export interface GatewaysUsageParts {
  readonly board: Pick<RedisUsageBoard, 'write' | 'readOthers'>;
  readonly ledger: UsageLedger;
  readonly endpoints: EndpointRegistry;
  /** Sets of an endpoint that a gateway tells of, the most used. */
  readonly maxSets: number;
  readonly clock: Clock;
}

/**
 * What all gateways are asked: for each endpoint that is warmed, each writes its own most used sets on a board, and
 * the one that warms reads them all. Bounded by gateways times sets; the json of a gateway that is gone expire.
 */
export class GatewaysUsage {
  private readonly gateway = randomUUID();
  /** What was written last, by endpoint id. */
  private readonly written = new Map<string, string>();
  private readonly forgotten = new LRUCache<string, number>({ max: REMEMBERED_FORGOTTEN });

  constructor(private readonly parts: GatewaysUsageParts) {}

  /** Tells of what was asked for since the last time. */
  async publish(): Promise<void> {
    for (const endpoint of this.parts.endpoints.all()) {
      if (endpoint.settings.warming > 0) await this.publishEndpoint(endpoint);
    }
  }

  /** The sets of an endpoint that any gateway was asked for; this process's own where the board is out of reach. */
  async sets(endpointId: string): Promise<readonly UsedSet[]> {
    const endpoint = this.parts.endpoints.find(endpointId);
    const others = endpoint ? await this.setsOfOthers(endpoint) : [];
    const now = this.now();
    const merged = new Map<string, UsedSet>();
    for (const set of [...this.parts.ledger.sets(endpointId, now), ...others]) {
      const known = merged.get(set.key.hash);
      merged.set(set.key.hash, known ? mergeUse(known, set) : set);
    }
    const forgottenAt = ({ hash }: CacheKey): number => unlessFromFuture(this.forgotten.get(hash) ?? 0, now);
    return [...merged.values()].filter(({ key, lastUsedAt }) => lastUsedAt > forgottenAt(key));
  }

  /** Forgets a set until somebody uses for it again. */
  forget(key: CacheKey): void {
    this.parts.ledger.forget(key);
    this.forgotten.set(key.hash, this.now());
  }

  private async publishEndpoint(endpoint: Endpoint): Promise<void> {
    const { ledger, maxSets, board } = this.parts;
    const keptMs = KEPT_INTERVALS * endpoint.settings.warming * 1000;
    const now = this.now();
    const published = ledger
      .sets(endpoint.id, now)
      .filter(({ lastUsedAt }) => lastUsedAt > now - keptMs && lastUsedAt <= now)
      .toSorted(mostUsedFirst)
      .slice(0, maxSets)
      .map(shared);
    const json = JSON.stringify(published);
    if (json === (this.written.get(endpoint.id) ?? '[]')) return;
    const done = await board.write({ endpointId: endpoint.id, gateway: this.gateway, json }, keptMs);
    if (done !== undefined) this.written.set(endpoint.id, json);
  }

  private async setsOfOthers(endpoint: Endpoint): Promise<readonly UsedSet[]> {
    const json = await this.parts.board.readOthers(endpoint.id, this.gateway);
    const now = this.now();
    return (json ?? []).flatMap((text) => setsIn(endpoint, text)).map((set) => asOf(set, now));
  }

  private now(): number {
    return this.parts.clock().getTime();
  }
}

/**
 * Sets published by a gateway with another definition of the endpoint have other hashes, and are left to that one; what is no
 * such list at all tells of nothing.
 */
function setsIn(endpoint: Endpoint, json: string): readonly UsedSet[] {
  try {
    return (JSON.parse(json) as readonly PublishedSet[]).flatMap(
      ({ hash, values, scope, representation: name, ...facts }) => {
        const representation = REPRESENTATIONS.get(name ?? JSON_REPRESENTATION.name);
        // One of a later version.
        if (!representation) return [];
        const query = { endpoint, values: new Map(Object.entries(values)), scope, representation };
        const key = keyOf(query);
        if (key.hash !== hash) return [];
        // Gateways of an earlier version tell neither.
        const { weight = facts.uses, clickhouseMs } = facts;
        return [{ key, query, ...facts, weight, clickhouseMs }];
      },
    );
  } catch {
    return [];
  }
}

/** What a gateway with a fast clock reports happened now at the latest, and none of its answers counts. */
function asOf(set: UsedSet, now: number): UsedSet {
  return {
    ...set,
    lastUsedAt: Math.min(set.lastUsedAt, now),
    createdAt: unlessFromFuture(set.createdAt, now),
  };
}

function shared({ key, query, lastUsedAt, uses, weight, createdAt, clickhouseMs }: UsedSet): PublishedSet {
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
