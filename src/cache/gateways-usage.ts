import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { ParameterValue } from '../endpoint/parameters.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { keyOf } from '../execution/call.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { Clock } from '../execution/ports.js';
import { JSON_REPRESENTATION, REPRESENTATIONS } from '../execution/representation.js';
import { mergeUse, mostUsedFirst, type UsageLedger, type UsedSet } from '../warming/usage-ledger.js';
import type { RedisUsageBoard } from './redis-usage.js';

/** Intervals of an endpoint after which a set that nobody asked for is no longer told of, nor kept. */
const KEPT_INTERVALS = 3;
/** Sets that were forgotten, with when they had been asked for last: another gateway may still tell of them. */
const REMEMBERED_FORGOTTEN = 10_000;

interface SharedSet {
  readonly hash: string;
  readonly values: Readonly<Record<string, ParameterValue | null>>;
  readonly scope: string;
  /** Absent for JSON, and from gateways of an earlier version, which know no other. */
  readonly representation?: string;
  readonly askedAt: number;
  readonly asks: number;
  readonly weight?: number;
  readonly bornAt: number;
}

export interface GatewaysUsageParts {
  readonly board: RedisUsageBoard;
  readonly ledger: UsageLedger;
  readonly endpoints: EndpointRegistry;
  /** Sets of an endpoint that a gateway tells of, the most used. */
  readonly maxSets: number;
  readonly clock: Clock;
}

/**
 * What all gateways are asked: for each endpoint that is warmed, each writes its own most used sets on a board, and
 * the one that warms reads them all. Bounded by gateways times sets; the words of a gateway that is gone expire.
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
    const merged = new Map<string, UsedSet>();
    for (const set of [...this.parts.ledger.sets(endpointId), ...others]) {
      const known = merged.get(set.key.hash);
      merged.set(set.key.hash, known ? mergeUse(known, set) : set);
    }
    return [...merged.values()].filter((set) => set.askedAt > (this.forgotten.get(set.key.hash) ?? 0));
  }

  /** Forgets a set until somebody asks for it again. */
  forget(key: CacheKey): void {
    this.parts.ledger.forget(key);
    this.forgotten.set(key.hash, this.parts.clock().getTime());
  }

  private async publishEndpoint(endpoint: Endpoint): Promise<void> {
    const { ledger, maxSets, board, clock } = this.parts;
    const keptMs = KEPT_INTERVALS * endpoint.settings.warming * 1000;
    const now = clock().getTime();
    const told = ledger
      .sets(endpoint.id)
      .filter(({ askedAt }) => askedAt > now - keptMs && askedAt <= now)
      .toSorted(mostUsedFirst)
      .slice(0, maxSets)
      .map(shared);
    const words = JSON.stringify(told);
    if (words === (this.written.get(endpoint.id) ?? '[]')) return;
    const done = await board.write(
      { endpointId: endpoint.id, gateway: this.gateway, at: now, words },
      keptMs,
    );
    if (done !== undefined) this.written.set(endpoint.id, words);
  }

  private async setsOfOthers(endpoint: Endpoint): Promise<readonly UsedSet[]> {
    const words = await this.parts.board.readOthers(endpoint.id, this.gateway);
    return (words ?? []).flatMap((text) => setsFrom(endpoint, text));
  }
}

/**
 * Sets told by a gateway with another definition of the endpoint have other hashes, and are left to that one; what is no
 * such list at all tells of nothing.
 */
function setsFrom(endpoint: Endpoint, words: string): readonly UsedSet[] {
  try {
    return (JSON.parse(words) as readonly SharedSet[]).flatMap(
      ({ hash, values, scope, representation: name, ...facts }) => {
        const representation = REPRESENTATIONS.get(name ?? JSON_REPRESENTATION.name);
        // One of a later version.
        if (!representation) return [];
        const question = { endpoint, values: new Map(Object.entries(values)), scope, representation };
        const key = keyOf(question);
        // Gateways of an earlier version tell no weight.
        return key.hash === hash ? [{ key, question, ...facts, weight: facts.weight ?? facts.asks }] : [];
      },
    );
  } catch {
    return [];
  }
}

function shared({ key, question, askedAt, asks, weight, bornAt }: UsedSet): SharedSet {
  const values = Object.fromEntries(question.values);
  const { scope, representation = JSON_REPRESENTATION } = question;
  const other = representation === JSON_REPRESENTATION ? {} : { representation: representation.name };
  return { hash: key.hash, values, scope, ...other, askedAt, asks, weight, bornAt };
}
