import { LRUCache } from 'lru-cache';

import type { Answer } from '../query/endpoint-result.js';
import type { CacheKey } from '../query/cache-key.js';
import type { Question } from '../query/call.js';
import { unlessFromFuture } from '../query/clock-skew.js';

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
  /** What that query took in ClickHouse, where that is known. */
  readonly clickhouseMs: number | undefined;
}

/** What the ledger notes of an answer. */
export type NotedAnswer = Pick<Answer, 'bornAt' | 'clickhouseMs'>;

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
  const { bornAt, clickhouseMs } = a.bornAt < b.bornAt ? b : a;
  return {
    ...a,
    askedAt: newer.askedAt,
    asks: a.asks + b.asks,
    weight: newer.weight + (between > 0 ? decayed(older.weight, between) : older.weight),
    bornAt,
    clickhouseMs,
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
  asked(key: CacheKey, question: Question, askedAt: number, answer: NotedAnswer): void {
    const sets = this.setsOf(key.endpointId);
    const known = sets.get(key.hash);
    const { bornAt, clickhouseMs } = answer;
    if (known) noteAsk(known, askedAt, answer);
    else sets.set(key.hash, { key, question, askedAt, asks: 1, weight: 1, bornAt, clickhouseMs });
  }

  /** Notes a set that is in use for as long as the process runs, whether anybody asks or not. */
  declare(key: CacheKey, question: Question): void {
    const never = { asks: 0, weight: 0, bornAt: 0, clickhouseMs: undefined };
    this.declared.set(key.hash, { key, question, askedAt: Infinity, ...never });
  }

  /**
   * The sets of an endpoint, in no order.
   *
   * @param now milliseconds since 1970; what was noted later, before the clock was set back, is corrected for good.
   */
  sets(endpointId: string, now: number): readonly UsedSet[] {
    const counted = [...(this.endpoints.get(endpointId)?.values() ?? [])];
    for (const set of counted) correctTimes(set, now);
    const asked = counted.map((set) => ({ ...set }));
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

function correctTimes(set: Counting, now: number): void {
  set.askedAt = Math.min(set.askedAt, now);
  set.bornAt = unlessFromFuture(set.bornAt, now);
}

function noteAsk(set: Counting, askedAt: number, { bornAt, clickhouseMs }: NotedAnswer): void {
  set.weight = decayed(set.weight, askedAt - set.askedAt) + 1;
  set.askedAt = askedAt;
  set.asks += 1;
  if (bornAt <= unlessFromFuture(set.bornAt, askedAt)) return;
  set.bornAt = bornAt;
  set.clickhouseMs = clickhouseMs;
}
