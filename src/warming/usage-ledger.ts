import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../query/cache-key.js';
import type { EndpointQuery } from '../query/call.js';
import { unlessFromFuture } from '../query/clock-skew.js';
import type { EndpointResult } from '../query/endpoint-result.js';

/** A parameter set of an endpoint that somebody asks for. */
export interface UsedSet {
  readonly key: CacheKey;
  readonly query: EndpointQuery;
  /** When it was used for last; milliseconds since 1970. */
  readonly lastUsedAt: number;
  /** How often it was used for since this process knows it. */
  readonly uses: number;
  /** The same, an ask of an hour before `askedAt` counting half, of two hours a quarter. */
  readonly weight: number;
  /** When the query of its newest answer began; milliseconds since 1970. */
  readonly createdAt: number;
  /** What that query took in ClickHouse, where that is known. */
  readonly clickhouseMs: number | undefined;
}

/** What the ledger notes of an answer. */
export type CreatedResult = Pick<EndpointResult, 'createdAt' | 'clickhouseMs'>;

/** A set while it is counted, in place: this happens at every hit. */
type Counting = { -readonly [Fact in keyof UsedSet]: UsedSet[Fact] };

const HALF_LIFE_MS = 3_600_000;

/** What is left of a weight after a time. */
function decayed(weight: number, ms: number): number {
  return weight * 2 ** (-Math.max(0, ms) / HALF_LIFE_MS);
}

/** Which of two sets is used more: the weights of both brought to one time. */
export function mostUsedFirst(a: UsedSet, b: UsedSet): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA === rankB ? b.uses - a.uses : rankB - rankA;
}

/** Grows by 1 for each doubling of the weight, and for each half-life by which it is younger. */
function rankOf({ weight, lastUsedAt: askedAt }: UsedSet): number {
  return askedAt === Infinity ? Infinity : Math.log2(weight) + askedAt / HALF_LIFE_MS;
}

/** The use of one set as two gateways saw it, together. */
export function mergeUse(a: UsedSet, b: UsedSet): UsedSet {
  const [older, newer] = a.lastUsedAt < b.lastUsedAt ? [a, b] : [b, a];
  const between = newer.lastUsedAt - older.lastUsedAt;
  const { createdAt, clickhouseMs } = a.createdAt < b.createdAt ? b : a;
  return {
    ...a,
    lastUsedAt: newer.lastUsedAt,
    uses: a.uses + b.uses,
    weight: newer.weight + (between > 0 ? decayed(older.weight, between) : older.weight),
    createdAt,
    clickhouseMs,
  };
}

/**
 * Which parameter sets are used for, in this process. Bounded: of each endpoint the sets used for most recently are
 * remembered.
 */
export class UsageLedger {
  private readonly declared = new Map<string, UsedSet>();
  private readonly endpoints = new Map<string, LRUCache<string, Counting>>();

  /** @param maxSets of an endpoint. */
  constructor(private readonly maxSets: number) {}

  /** Notes that a query was used, and which answer it got. */
  count(key: CacheKey, query: EndpointQuery, askedAt: number, answer: CreatedResult): void {
    const sets = this.setsOf(key.endpointId);
    const known = sets.get(key.hash);
    const { createdAt, clickhouseMs } = answer;
    if (known) countUse(known, askedAt, answer);
    else
      sets.set(key.hash, {
        key,
        query,
        lastUsedAt: askedAt,
        uses: 1,
        weight: 1,
        createdAt,
        clickhouseMs,
      });
  }

  /** Notes a set that is in use for as long as the process runs, whether anybody asks or not. */
  declare(key: CacheKey, query: EndpointQuery): void {
    const never = { uses: 0, weight: 0, createdAt: 0, clickhouseMs: undefined };
    this.declared.set(key.hash, { key, query, lastUsedAt: Infinity, ...never });
  }

  /**
   * The sets of an endpoint, in no order.
   *
   * @param now milliseconds since 1970; what was noted later, before the clock was set back, is corrected for good.
   */
  sets(endpointId: string, now: number): readonly UsedSet[] {
    const counted = [...(this.endpoints.get(endpointId)?.values() ?? [])];
    for (const set of counted) correctTimes(set, now);
    const used = counted.map((set) => ({ ...set }));
    const declared = [...this.declared.values()].filter(({ key }) => key.endpointId === endpointId);
    const both = used.filter(({ key }) => this.declared.has(key.hash));
    return [
      ...used.filter((set) => !both.includes(set)),
      ...both.map((set) => ({ ...set, lastUsedAt: Infinity })),
      ...declared.filter(({ key }) => !both.some((set) => set.key.hash === key.hash)),
    ];
  }

  forget({ endpointId, hash }: CacheKey): void {
    this.endpoints.get(endpointId)?.delete(hash);
  }

  private setsOf(endpointId: string): LRUCache<string, Counting> {
    const known = this.endpoints.get(endpointId);
    if (known) return known;
    const sets = new LRUCache<string, Counting>({ max: this.maxSets });
    this.endpoints.set(endpointId, sets);
    return sets;
  }
}

function correctTimes(set: Counting, now: number): void {
  set.lastUsedAt = Math.min(set.lastUsedAt, now);
  set.createdAt = unlessFromFuture(set.createdAt, now);
}

function countUse(set: Counting, askedAt: number, { createdAt, clickhouseMs }: CreatedResult): void {
  set.weight = decayed(set.weight, askedAt - set.lastUsedAt) + 1;
  set.lastUsedAt = askedAt;
  set.uses += 1;
  if (createdAt <= unlessFromFuture(set.createdAt, askedAt)) return;
  set.createdAt = createdAt;
  set.clickhouseMs = clickhouseMs;
}
