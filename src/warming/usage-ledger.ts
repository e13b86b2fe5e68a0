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
  /** When the query of its newest answer began; milliseconds since 1970. */
  readonly bornAt: number;
}

/**
 * Which parameter sets are asked for, in this process. Bounded: of each endpoint the sets asked for most recently are
 * remembered.
 */
export class UsageLedger {
  private readonly declared = new Map<string, UsedSet>();
  private readonly endpoints = new Map<string, LRUCache<string, UsedSet>>();

  /** @param maxSets of an endpoint. */
  constructor(private readonly maxSets: number) {}

  /** Notes that a question was asked, and which answer it got. */
  asked(key: CacheKey, question: Question, askedAt: number, bornAt: number): void {
    const sets = this.setsOf(key.endpointId);
    const before = sets.get(key.hash);
    sets.set(key.hash, {
      key,
      question,
      askedAt,
      asks: (before?.asks ?? 0) + 1,
      bornAt: Math.max(bornAt, before?.bornAt ?? 0),
    });
  }

  /** Notes a set that is in use for as long as the process runs, whether anybody asks or not. */
  declare(key: CacheKey, question: Question): void {
    this.declared.set(key.hash, { key, question, askedAt: Infinity, asks: 0, bornAt: 0 });
  }

  /** The sets of an endpoint, in no order. */
  sets(endpointId: string): readonly UsedSet[] {
    const asked = [...(this.endpoints.get(endpointId)?.values() ?? [])];
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

  private setsOf(endpointId: string): LRUCache<string, UsedSet> {
    const known = this.endpoints.get(endpointId);
    if (known) return known;
    const sets = new LRUCache<string, UsedSet>({ max: this.maxSets });
    this.endpoints.set(endpointId, sets);
    return sets;
  }
}
