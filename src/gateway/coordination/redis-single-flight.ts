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
/** Nobody waits for a refresh: it asks less often, and still several times while a failure can be read. */
const REFRESH = { of: 'refresh', pollMs: 500 } as const;
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
    const { of, pollMs } = newerThan === undefined ? MISS : REFRESH;
    const lock = new RedisLease(dependencies.redis, dependencies.keys.lock(key, of), LEASE_MS);
    const wanted = { key, newerThan };
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
        const fetched = await queryAsLeader(dependencies, key, { lock, find }, coalesced);
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

interface CoalescedQuery {
  readonly signal: Signal;
  readonly queryClickHouse: QueryClickHouse;
  readonly usableUntil: (result: EndpointResult) => number;
}

interface Leadership {
  readonly lock: RedisLease;
  /** Finds what the previous owner of the lock may have published. */
  readonly find: () => ReturnType<typeof findPublished>;
}

/** @returns undefined if the lease expired before the query started: another gateway may have taken the lock. */
async function queryAsLeader(
  dependencies: RedisSingleFlightDependencies,
  key: CacheKey,
  { lock, find }: Leadership,
  coalesced: CoalescedQuery,
): Promise<FetchedResult | undefined> {
  const renewal = setInterval(() => void lock.renew(), RENEW_MS);
  try {
    const published = await find();
    if (published) return published;
    return lock.isHeld ? await queryAndStore(dependencies, key, coalesced) : undefined;
  } catch (error) {
    if (!coalesced.signal.aborted) await publishFailure(dependencies, key, lock.token, error);
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
  { key, newerThan = -Infinity }: { readonly key: CacheKey; readonly newerThan: number | undefined },
  previousLeader: string | undefined,
): Promise<FetchedResult | undefined> {
  const result = await store.get(key, newerThan);
  if (result && knownAt(result) > newerThan && isFresh(result, clock().getTime()))
    return { result, isCollapsed: true };
  if (previousLeader === undefined) return undefined;
  const published = await redis.read((client) => client.get(keys.failure(key, previousLeader)));
  const failure = readFailure(published);
  if (failure) throw failure;
  return undefined;
}
