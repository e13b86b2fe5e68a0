import { LRUCache } from 'lru-cache';

import type { CacheKey } from '../execution/cache-key.js';
import type { Question } from '../execution/call.js';

/** A parameter set of an endpoint that somebody asks for. */
export interface UsedSet {
  readonly key: CacheKey;
  readonly question: Question;
  /** When it was asked for last; milliseconds since 1970. */
  readonly askedAt: number;
  /** How often it was asked for since this process knows it. */
  readonly asks: number;
  /** The same, an ask of an hour before `askedAt` counting half, of two hours a quarter. */
  readonly weight: number;
  /** When the query of its newest answer began; milliseconds since 1970. */
  readonly bornAt: number;
}

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
  return rankA === rankB ? b.asks - a.asks : rankB - rankA;
}

/** Grows by 1 for each doubling of the weight, and for each half-life by which it is younger. */
function rankOf({ weight, askedAt }: UsedSet): number {
  return askedAt === Infinity ? Infinity : Math.log2(weight) + askedAt / HALF_LIFE_MS;
}

/** The use of one set as two gateways saw it, together. */
export function mergeUse(a: UsedSet, b: UsedSet): UsedSet {
  const [older, newer] = a.askedAt < b.askedAt ? [a, b] : [b, a];
  const between = newer.askedAt - older.askedAt;
  return {
    ...a,
    askedAt: newer.askedAt,
    asks: a.asks + b.asks,
    weight: newer.weight + (between > 0 ? decayed(older.weight, between) : older.weight),
    bornAt: Math.max(a.bornAt, b.bornAt),
  };
}

/**
 * Which parameter sets are asked for, in this process. Bounded: of each endpoint the sets asked for most recently are
 * remembered.
 */
export class UsageLedger {
  private readonly declared = new Map<string, UsedSet>();
  private readonly endpoints = new Map<string, LRUCache<string, Counting>>();

  /** @param maxSets of an endpoint. */
  constructor(private readonly maxSets: number) {}

  /** Notes that a question was asked, and which answer it got. */
  asked(key: CacheKey, question: Question, askedAt: number, bornAt: number): void {
    const sets = this.setsOf(key.endpointId);
    const known = sets.get(key.hash);
    if (known) noteAsk(known, askedAt, bornAt);
    else sets.set(key.hash, { key, question, askedAt, asks: 1, weight: 1, bornAt });
  }

  /** Notes a set that is in use for as long as the process runs, whether anybody asks or not. */
  declare(key: CacheKey, question: Question): void {
    this.declared.set(key.hash, { key, question, askedAt: Infinity, asks: 0, weight: 0, bornAt: 0 });
  }

  /** The sets of an endpoint, in no order. */
  sets(endpointId: string): readonly UsedSet[] {
    const asked = [...(this.endpoints.get(endpointId)?.values() ?? [])].map((set) => ({ ...set }));
    const declared = [...this.declared.values()].filter(({ key }) => key.endpointId === endpointId);
    const both = asked.filter(({ key }) => this.declared.has(key.hash));
    return [
      ...asked.filter((set) => !both.includes(set)),
      ...both.map((set) => ({ ...set, askedAt: Infinity })),
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

function noteAsk(set: Counting, askedAt: number, bornAt: number): void {
  set.weight = decayed(set.weight, askedAt - set.askedAt) + 1;
  set.askedAt = askedAt;
  set.asks += 1;
  if (bornAt > set.bornAt) set.bornAt = bornAt;
}
