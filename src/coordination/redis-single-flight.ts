import { setTimeout as delay } from 'node:timers/promises';

import type { Failure } from '../errors.js';
import type { CacheKey } from '../query/cache-key.js';
import { isFresh, type EndpointResult } from '../query/endpoint-result.js';
import type { QueryClickHouse, FetchedResult, CoalesceAcrossGateways } from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore } from '../query/result-store.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';
import { RedisLease } from './redis-lease.js';
import { failureFrom, sharedFailureOf, type SharedFailure } from './shared-failure.js';

/** How long a lock lasts if its holder dies; a living one renews it, unless its process is busy or paused for so long. */
const LEASE_MS = 1500;
const RENEW_MS = 400;
const POLL_MS = 25;
/** How long an error is there for those who wait for its query. */
const FAILURE_MS = 3000;

/** What a lock holds; anything else was not put there by a gateway, and is not waited for. */
const TOKEN = /^[0-9a-f]{32}$/;

export interface RedisSingleFlightParts {
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Where the answer is kept, for this gateway and the others. */
  readonly store: ResultStore;
  readonly clock: Clock;
  /** Milliseconds after which a waiter stops waiting and asks for itself. */
  readonly maxWaitMs: number;
}

/**
 * Gateways that miss the same question at the same time: the one that takes the lock asks ClickHouse, the others wait
 * for its answer or its error. When the holder dies its lease ends and another takes over; without Redis each asks for
 * itself.
 *
 * One query, as long as the holder's process is never busy or paused for a whole lease while its query runs, and Redis
 * replies. After such a pause another gateway has taken over, and its query is a second one; never a wrong result.
 */
export function coalesceThroughRedis(parts: RedisSingleFlightParts): CoalesceAcrossGateways {
  return async (key, signal, queryClickHouse, usableUntil) => {
    const lock = new RedisLease(parts.redis, parts.keys.lock(key), LEASE_MS);
    const coalesced = { signal, queryClickHouse, usableUntil };
    const deadlineAt = performance.now() + parts.maxWaitMs;
    let previousLeader: string | undefined;
    while (performance.now() < deadlineAt) {
      const owner = await lock.takeOrRenew();
      if (owner === undefined || !TOKEN.test(owner)) break;
      if (owner === lock.token) {
        const fetched = await queryAsLeader(parts, key, { lock, previousLeader }, coalesced);
        if (fetched) return fetched;
        continue;
      }
      const published =
        owner === previousLeader ? undefined : await findPublished(parts, key, previousLeader);
      if (published) return published;
      previousLeader = owner;
      await delay(POLL_MS, undefined, { signal });
    }
    return queryAndStore(parts, key, coalesced);
  };
}

interface CoalescedQuery {
  readonly signal: AbortSignal;
  readonly queryClickHouse: QueryClickHouse;
  readonly usableUntil: (result: EndpointResult) => number;
}

interface Leadership {
  readonly lock: RedisLease;
  /** Token of the one that held the lock before, as far as was seen. */
  readonly previousLeader: string | undefined;
}

/** @returns undefined where the lease ended before the query began: another may have the lock, and query. */
async function queryAsLeader(
  parts: RedisSingleFlightParts,
  key: CacheKey,
  { lock, previousLeader }: Leadership,
  coalesced: CoalescedQuery,
): Promise<FetchedResult | undefined> {
  const renewal = setInterval(() => void lock.renew(), RENEW_MS);
  try {
    // Whoever held the lock until now may have got what is asked for.
    const published = await findPublished(parts, key, previousLeader);
    if (published) return published;
    return lock.isHeld ? await queryAndStore(parts, key, coalesced) : undefined;
  } catch (error) {
    if (!coalesced.signal.aborted) await publishFailure(parts, key, lock.token, error);
    throw error;
  } finally {
    clearInterval(renewal);
    await lock.release();
  }
}

async function queryAndStore(
  { store }: RedisSingleFlightParts,
  key: CacheKey,
  coalesced: CoalescedQuery,
): Promise<FetchedResult> {
  const result = await coalesced.queryClickHouse(coalesced.signal);
  // What is partial is nothing to those that wait in other gateways, which may not want it: one of them asks instead.
  if (!result.partial) await store.set(key, result, coalesced.usableUntil(result));
  return { result, isCollapsed: false };
}

async function publishFailure(
  { redis, keys }: RedisSingleFlightParts,
  key: CacheKey,
  token: string,
  error: unknown,
): Promise<void> {
  const published = sharedFailureOf(error);
  if (!published) return;
  await redis.write((client) =>
    client.set(keys.failure(key, token), JSON.stringify(published), 'PX', FAILURE_MS),
  );
}

/**
 * What others have published: an answer, or the failure of the one that held the lock before, which is thrown.
 *
 * @param previousLeader token of that one.
 */
async function findPublished(
  { redis, keys, store, clock }: RedisSingleFlightParts,
  key: CacheKey,
  previousLeader: string | undefined,
): Promise<FetchedResult | undefined> {
  const result = await store.get(key);
  if (result && isFresh(result, clock().getTime())) return { result, isCollapsed: true };
  if (previousLeader === undefined) return undefined;
  const published = await redis.read((client) => client.get(keys.failure(key, previousLeader)));
  const failure = typeof published === 'string' ? failureIn(published) : undefined;
  if (failure) throw failure;
  return undefined;
}

function failureIn(published: string): Failure | undefined {
  try {
    return failureFrom(JSON.parse(published) as SharedFailure);
  } catch {
    return undefined;
  }
}
