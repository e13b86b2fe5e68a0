import { LRUCache } from 'lru-cache';

import { SecretValue } from '../../endpoint/parameters/secret-value.js';
import { OPERATORS } from '../../endpoint/figures.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { keyOf, type CacheKey } from '../query/cache-key.js';
import type { EndpointQuery } from '../query/endpoint-query.js';
import { unlessFromFuture } from '../query/clock-skew.js';
import type { EndpointResult } from '../query/endpoint-result.js';

/** A parameter set of an endpoint that callers use. */
export interface UsedSet {
  readonly key: CacheKey;
  readonly query: EndpointQuery;
  /** Time of the last use, in milliseconds since 1970. Infinity for a declared set. */
  readonly lastUsedAt: number;
  /** Number of uses since this process first saw the set. */
  readonly uses: number;
  /** Uses with a half-life of one hour. A use an hour before `lastUsedAt` counts half, two hours before a quarter. */
  readonly weight: number;
  /** Start of the query of its newest result, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Duration of this query in ClickHouse, in milliseconds. Undefined if unknown. */
  readonly clickhouseMs: number | undefined;
}

/** Facts of a result that the ledger records. */
export type CreatedResult = Pick<EndpointResult, 'createdAt' | 'cost'>;

/** A set that the ledger updates in place, because it changes on every hit. */
type MutableSet = { -readonly [Fact in keyof UsedSet]: UsedSet[Fact] };

const HALF_LIFE_MS = 3_600_000;

/** Weight after a time in milliseconds. */
function decayed(weight: number, ms: number): number {
  return weight * 2 ** (-Math.max(0, ms) / HALF_LIFE_MS);
}

/** Order of sets: the most used first, by their weights at the same time. */
export function mostUsedFirst(a: UsedSet, b: UsedSet): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA === rankB ? b.uses - a.uses : rankB - rankA;
}

/** Logarithm of the weight, plus 1 for each half-life by which the last use is later. */
function rankOf({ weight, lastUsedAt }: UsedSet): number {
  return lastUsedAt === Infinity ? Infinity : Math.log2(weight) + lastUsedAt / HALF_LIFE_MS;
}

/** Records which parameter sets this process uses. For each endpoint it keeps a limited number of the most recently used sets. */
export class UsageLedger {
  private readonly declared = new Map<string, UsedSet>();
  private readonly endpoints = new Map<string, LRUCache<string, MutableSet>>();

  /** @param maxSets maximum number of sets of each endpoint. */
  constructor(private readonly maxSets: number) {}

  /** Records a use of a query, and the result that it returned. It skips a query with a secret value, which is never warmed. */
  count(key: CacheKey, query: EndpointQuery, usedAt: number, result: CreatedResult): void {
    const sets = this.setsOf(key.endpointId);
    const known = sets.get(key.hash);
    if (known) countUse(known, usedAt, result);
    else if (!hasSecret(query))
      sets.set(key.hash, {
        key,
        query,
        lastUsedAt: usedAt,
        uses: 1,
        weight: 1,
        createdAt: result.createdAt,
        clickhouseMs: clickhouseMsOf(result),
      });
  }

  /** Declares sets that are in use even without calls. They replace the sets declared before. */
  declare(sets: readonly Pick<UsedSet, 'key' | 'query'>[]): void {
    this.declared.clear();
    const never = { lastUsedAt: Infinity, uses: 0, weight: 0, createdAt: 0, clickhouseMs: undefined };
    for (const set of sets) this.declared.set(set.key.hash, { key: set.key, query: set.query, ...never });
  }

  /**
   * Sets of an endpoint, in any order.
   *
   * @param now milliseconds since 1970; later times, from before the clock was set back, are corrected permanently.
   */
  sets(endpointId: string, now: number): readonly UsedSet[] {
    const counted = [...(this.endpoints.get(endpointId)?.values() ?? [])].filter(
      // Excludes sets whose relative times have changed: the same request has other values now.
      ({ query: { changesAt = Infinity } }) => changesAt > now,
    );
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

  /** Continues with the endpoints of a reload. Removes the sets for which the new definition can give another result. */
  adopt(endpoints: Endpoints): void {
    for (const sets of this.endpoints.values()) {
      for (const [hash, set] of sets.entries()) {
        const adopted = adoptedBy(endpoints, set);
        if (adopted) Object.assign(set, adopted);
        else sets.delete(hash);
      }
    }
  }

  private setsOf(endpointId: string): LRUCache<string, MutableSet> {
    const known = this.endpoints.get(endpointId);
    if (known) return known;
    const sets = new LRUCache<string, MutableSet>({ max: this.maxSets });
    this.endpoints.set(endpointId, sets);
    return sets;
  }
}

/** Query and key of a set with the current endpoint. Undefined where they identify another result. */
function adoptedBy(
  endpoints: Endpoints,
  { key: { endpointId, hash }, query: earlier }: UsedSet,
): Pick<UsedSet, 'key' | 'query'> | undefined {
  const endpoint = endpoints.find(endpointId);
  if (endpoint?.digest !== earlier.endpoint.digest) return undefined;
  const query = { ...earlier, endpoint };
  const key = keyOf(query);
  return key.hash === hash ? { key, query } : undefined;
}

const hasSecret = ({ values }: EndpointQuery): boolean =>
  [...values.values()].some((value) => value instanceof SecretValue);

function correctTimes(set: MutableSet, now: number): void {
  set.lastUsedAt = Math.min(set.lastUsedAt, now);
  set.createdAt = unlessFromFuture(set.createdAt, now);
}

function countUse(set: MutableSet, usedAt: number, result: CreatedResult): void {
  set.weight = decayed(set.weight, usedAt - set.lastUsedAt) + 1;
  set.lastUsedAt = usedAt;
  set.uses += 1;
  if (result.createdAt <= unlessFromFuture(set.createdAt, usedAt)) return;
  set.createdAt = result.createdAt;
  set.clickhouseMs = clickhouseMsOf(result);
}

const clickhouseMsOf = ({ cost }: CreatedResult): number => cost.readBy(OPERATORS).clickhouseMs;
