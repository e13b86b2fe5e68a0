import { setTimeout as delay } from 'node:timers/promises';

import type { CacheKey } from '../query/cache-key.js';
import { isFresh, knownAt, type EndpointResult } from '../query/endpoint-result.js';
import type { QueryClickHouse, FetchedResult, CoalesceAcrossGateways } from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore } from '../query/result-store.js';
import { nativeSignal, type Signal } from '../query/signal.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';
import { RedisLease } from './redis-lease.js';
import { readFailure, sharedFailureOf } from './shared-failure.js';

/** How long a lock outlives a crashed owner. A live owner renews it, unless its process is blocked for this long. */
const LEASE_MS = 1500;
const RENEW_MS = 400;
const MISS = { of: 'miss', pollMs: 25 } as const;
/**
 * No caller waits for a refresh: it asks less often, and still several times while a failure can be read. The failure has one name for
 * all gateways, because those that come a moment later must not repeat it.
 */
const REFRESH = { of: 'refresh', pollMs: 500, failedAs: 'refresh' } as const;
/** How long followers can read the failure of a query. */
const FAILURE_MS = 3000;

/** The token in a lock. No gateway wrote any other value, so it is not waited for. */
const TOKEN = /^[0-9a-f]{32}$/;

export interface RedisSingleFlightDependencies {
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** The cache that this gateway shares with the others. */
  readonly store: ResultStore;
  readonly clock: Clock;
  /** Milliseconds after which a follower stops waiting and runs the query itself. */
  readonly maxWaitMs: number;
}

/**
 * Single flight across gateways that miss the same query at the same time: the gateway that takes the lock queries
 * ClickHouse, the others wait for its result or its failure. If the owner crashes, its lease expires and another
 * gateway takes over. Without Redis every gateway runs the query itself.
 *
 * There is exactly one query unless Redis fails, or the owner's process is blocked for a whole lease: another gateway
 * then takes over and runs a second query. The result is correct in either case.
 */
export function coalesceThroughRedis(dependencies: RedisSingleFlightDependencies): CoalesceAcrossGateways {
  return async (key, signal, queryClickHouse, usableUntil, newerThan) => {
    const { lock, pollMs, failedAs } = flightOf(dependencies, key, newerThan);
    const longestQuery = dependencies.clock().getTime() - dependencies.maxWaitMs;
    const wanted: Wanted = { key, newerThan, seen: longestQuery };
    const coalesced = { signal, queryClickHouse, usableUntil };
    const deadlineAt = performance.now() + dependencies.maxWaitMs;
    let previousLeader: string | undefined;
    let following: AbortSignal | undefined;
    while (performance.now() < deadlineAt) {
      const taking = lock.takeOrRenew();
      // Most calls are alone, and take the lock at once. Redis runs both commands in this order: both keys have one hash tag.
      const first = previousLeader === undefined ? findPublished(dependencies, wanted, undefined) : undefined;
      first?.catch(() => undefined);
      const owner = await taking;
      if (owner === undefined || !TOKEN.test(owner)) break;
      const find = (): ReturnType<typeof findPublished> =>
        first ?? findPublished(dependencies, wanted, previousLeader);
      if (owner === lock.token) {
        const fetched = await queryAsLeader(dependencies, key, { lock, find, failedAs }, coalesced);
        if (fetched) return fetched;
        continue;
      }
      const published = owner === previousLeader ? undefined : await find();
      if (published) return published;
      previousLeader = owner;
      following ??= nativeSignal(signal);
      await delay(pollMs, undefined, { signal: following });
    }
    return queryAndStore(dependencies, key, coalesced);
  };
}

function flightOf(
  { redis, keys }: RedisSingleFlightDependencies,
  key: CacheKey,
  newerThan: number | undefined,
): Pick<Leadership, 'lock' | 'failedAs'> & { readonly pollMs: number } {
  const { of, pollMs } = newerThan === undefined ? MISS : REFRESH;
  const lock = new RedisLease(redis, keys.lock(key, of), LEASE_MS);
  return { lock, pollMs, failedAs: of === 'miss' ? lock.token : REFRESH.failedAs };
}

interface CoalescedQuery {
  readonly signal: Signal;
  readonly queryClickHouse: QueryClickHouse;
  readonly usableUntil: (result: EndpointResult) => number;
}

interface Leadership {
  readonly lock: RedisLease;
  /** Finds what the previous owner of the lock may have published. */
  readonly find: () => ReturnType<typeof findPublished>;
  /** The name under which its failure is published. */
  readonly failedAs: string;
}

/** What a gateway wants of the others. */
interface Wanted {
  readonly key: CacheKey;
  readonly newerThan: number | undefined;
  /**
   * Since when the result is known that was there at first, and at least the time at which the longest query would have begun: an
   * expired result that is known since later, and that comes while this gateway waits, is of the query for which it waits.
   */
  seen: number;
}

/** @returns undefined if the lease expired before the query started: another gateway may have taken the lock. */
async function queryAsLeader(
  dependencies: RedisSingleFlightDependencies,
  key: CacheKey,
  { lock, find, failedAs }: Leadership,
  coalesced: CoalescedQuery,
): Promise<FetchedResult | undefined> {
  const renewal = setInterval(() => void lock.renew(), RENEW_MS);
  // Who waits for a miss looks for its failure under the token of this lock, also where it is of the leader before.
  let isToPublish = failedAs !== REFRESH.failedAs;
  try {
    const published = await find();
    if (published) return published;
    isToPublish = true;
    return lock.isHeld ? await queryAndStore(dependencies, key, coalesced) : undefined;
  } catch (error) {
    if (isToPublish && !coalesced.signal.aborted) await publishFailure(dependencies, key, failedAs, error);
    // Before the response: a request that comes after it must find no lock, whose failure it would get.
    await lock.release();
    throw error;
  } finally {
    clearInterval(renewal);
    // Its reply is not awaited: this process sends its next commands after it, and it never rejects.
    if (lock.isHeld) void lock.release();
  }
}

async function queryAndStore(
  { store }: RedisSingleFlightDependencies,
  key: CacheKey,
  coalesced: CoalescedQuery,
): Promise<FetchedResult> {
  const result = await coalesced.queryClickHouse(coalesced.signal);
  // Other gateways may not accept a partial result: one of the followers runs the query again.
  if (!result.partial) await store.set(key, result, coalesced.usableUntil(result));
  return { result, isCollapsed: false };
}

async function publishFailure(
  { redis, keys }: RedisSingleFlightDependencies,
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
 * Finds a result that another gateway published.
 *
 * @throws Failure that the owner of the token `previousLeader` published.
 */
async function findPublished(
  { redis, keys, store, clock }: RedisSingleFlightDependencies,
  wanted: Wanted,
  previousLeader: string | undefined,
): Promise<FetchedResult | undefined> {
  const { key, newerThan = -Infinity, seen } = wanted;
  const result = await store.get(key, newerThan);
  if (result && knownAt(result) > newerThan) {
    // A query can take longer than its result is fresh.
    const isOfLeader = previousLeader !== undefined && knownAt(result) > seen;
    if (isOfLeader || isFresh(result, clock().getTime())) return { result, isCollapsed: true };
    wanted.seen = Math.max(seen, knownAt(result));
  }
  const failedAs = Number.isFinite(newerThan) ? REFRESH.failedAs : previousLeader;
  if (failedAs === undefined) return undefined;
  const published = await redis.read((client) => client.get(keys.failure(key, failedAs)));
  const failure = readFailure(published);
  if (failure) throw failure;
  return undefined;
}
