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
  /** When it was last used; milliseconds since 1970. Infinity for a declared set. */
  readonly lastUsedAt: number;
  /** How often it was used since this process first saw it. */
  readonly uses: number;
  /** Uses with a half-life of one hour: a use an hour before `lastUsedAt` counts half, two hours before a quarter. */
  readonly weight: number;
  /** When the query of its newest result started; milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds that this query took in ClickHouse, if known. */
  readonly clickhouseMs: number | undefined;
}

/** The facts of a result that the ledger records. */
export type CreatedResult = Pick<EndpointResult, 'createdAt' | 'cost'>;

/** A set as the ledger updates it in place, because that happens on every hit. */
type MutableSet = { -readonly [Fact in keyof UsedSet]: UsedSet[Fact] };

const HALF_LIFE_MS = 3_600_000;

/** A weight after a time in milliseconds. */
function decayed(weight: number, ms: number): number {
  return weight * 2 ** (-Math.max(0, ms) / HALF_LIFE_MS);
}

/** Sorts the most used sets first, by their weights at the same time. */
export function mostUsedFirst(a: UsedSet, b: UsedSet): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA === rankB ? b.uses - a.uses : rankB - rankA;
}

/** The logarithm of the weight, plus 1 for each half-life by which the set was used later. */
function rankOf({ weight, lastUsedAt }: UsedSet): number {
  return lastUsedAt === Infinity ? Infinity : Math.log2(weight) + lastUsedAt / HALF_LIFE_MS;
}

/** Records which parameter sets this process uses: of each endpoint, a bounded number of the most recently used ones. */
export class UsageLedger {
  private readonly declared = new Map<string, UsedSet>();
  private readonly endpoints = new Map<string, LRUCache<string, MutableSet>>();

  /** @param maxSets for each endpoint. */
  constructor(private readonly maxSets: number) {}

  /** Records a use of a query, and the result that it returned. A query with a secret value is never warmed. */
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

  /** Declares the sets that are in use even without calls, in place of those declared before. */
  declare(sets: readonly Pick<UsedSet, 'key' | 'query'>[]): void {
    this.declared.clear();
    const never = { lastUsedAt: Infinity, uses: 0, weight: 0, createdAt: 0, clickhouseMs: undefined };
    for (const set of sets) this.declared.set(set.key.hash, { key: set.key, query: set.query, ...never });
  }

  /**
   * The sets of an endpoint, in no order.
   *
   * @param now milliseconds since 1970; later times, from before the clock was set back, are corrected permanently.
   */
  sets(endpointId: string, now: number): readonly UsedSet[] {
    const counted = [...(this.endpoints.get(endpointId)?.values() ?? [])].filter(
      // The same request means other times by now.
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

  /** Continues with the endpoints of a reload: forgets the sets whose results another definition would give. */
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

/** The query and key of a set with the endpoint of now; undefined where they stand for another result. */
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
