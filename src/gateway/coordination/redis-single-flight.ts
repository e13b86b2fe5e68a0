import { setTimeout as delay } from 'node:timers/promises';

import type { CacheKey } from '../query/cache-key.js';
import { usableUntil } from '../query/call.js';
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
  return async (key, signal, queryClickHouse, newerThan) => {
    const flight = flightOf(dependencies, key, newerThan);
    const longestQuery = dependencies.clock().getTime() - dependencies.maxWaitMs;
    const wanted: Wanted = { key, newerThan, seen: longestQuery };
    // Most calls are alone: one command looks for the result, and takes the lock where there is none to use.
    const cached = await dependencies.store.get(key, newerThan, flight.lock);
    const published = flight.lock.isAsked
      ? undefined
      : await findPublished(dependencies, wanted, undefined, { cached });
    const coalesced = { signal, queryClickHouse };
    const fetched = published ?? (await leadOrFollow(dependencies, wanted, flight, coalesced, { cached }));
    return { cached, ...fetched };
  };
}

/** @param look what was found when the lock was asked for, if it was */
async function leadOrFollow(
  dependencies: RedisSingleFlightDependencies,
  wanted: Wanted,
  { lock, pollMs, failedAs }: Flight,
  coalesced: CoalescedQuery,
  look: Look,
): Promise<FetchedResult> {
  const { key } = wanted;
  const deadlineAt = performance.now() + dependencies.maxWaitMs;
  let first = lock.isAsked ? look : undefined;
  let previousLeader: string | undefined;
  let following: AbortSignal | undefined;
  while (performance.now() < deadlineAt) {
    const owner = first ? lock.owner : await lock.takeOrRenew();
    if (owner === undefined || !TOKEN.test(owner)) break;
    const [known, leader] = [first, previousLeader];
    const find = (): Promise<FetchedResult | undefined> => findPublished(dependencies, wanted, leader, known);
    first = undefined;
    if (owner === lock.token) {
      const fetched = await queryAsLeader(dependencies, key, { lock, find, failedAs }, coalesced);
      if (fetched) return fetched;
      continue;
    }
    const published = owner === previousLeader ? undefined : await find();
    if (published) return published;
    previousLeader = owner;
    following ??= nativeSignal(coalesced.signal);
    await delay(pollMs, undefined, { signal: following });
  }
  const result = await coalesced.queryClickHouse(coalesced.signal);
  void storeResult(dependencies, key, result);
  return { result, isCollapsed: false };
}

function flightOf(
  { redis, keys }: RedisSingleFlightDependencies,
  key: CacheKey,
  newerThan: number | undefined,
): Flight {
  const { of, pollMs } = newerThan === undefined ? MISS : REFRESH;
  const lock = new RedisLease(redis, keys.lock(key, of), LEASE_MS);
  return { lock, pollMs, failedAs: of === 'miss' ? lock.token : REFRESH.failedAs };
}

interface Flight extends Pick<Leadership, 'lock' | 'failedAs'> {
  readonly pollMs: number;
}

/** What a look into the cache found. */
interface Look {
  readonly cached: EndpointResult | undefined;
}

interface CoalescedQuery {
  readonly signal: Signal;
  readonly queryClickHouse: QueryClickHouse;
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
  let stored = Promise.resolve();
  try {
    const published = await find();
    if (published) return published;
    isToPublish = true;
    if (!lock.isHeld) return undefined;
    const result = await coalesced.queryClickHouse(coalesced.signal);
    stored = storeResult(dependencies, key, result, lock);
    return { result, isCollapsed: false };
  } catch (error) {
    if (isToPublish && !coalesced.signal.aborted) await publishFailure(dependencies, key, failedAs, error);
    // Before the response: a request that comes after it must find no lock, whose failure it would get.
    await lock.release();
    throw error;
  } finally {
    clearInterval(renewal);
    // Usually the lock has ended with the storing. No response waits for either, and other gateways wait for the lock until the result is there.
    void stored.then(() => (lock.isHeld ? lock.release() : undefined));
  }
}

/** Never rejects. @param lock ends once the result is stored */
async function storeResult(
  { store }: RedisSingleFlightDependencies,
  key: CacheKey,
  result: EndpointResult,
  lock?: RedisLease,
): Promise<void> {
  // Other gateways may not accept a partial result: one of the followers runs the query again.
  if (!result.partial) await store.set(key, result, usableUntil(result, key), lock);
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
 * @param look what was found already
 * @throws Failure that the owner of the token `previousLeader` published.
 */
async function findPublished(
  { redis, keys, store, clock }: RedisSingleFlightDependencies,
  wanted: Wanted,
  previousLeader: string | undefined,
  look?: Look,
): Promise<FetchedResult | undefined> {
  const { key, newerThan = -Infinity, seen } = wanted;
  const result = look ? look.cached : await store.get(key, newerThan);
  if (result && knownAt(result) > newerThan) {
    // A query can take longer than its result is fresh.
    const isOfLeader = previousLeader !== undefined && knownAt(result) > seen;
    if (isOfLeader || isFresh(result, clock().getTime())) return { result, isCollapsed: true };
    wanted.seen = Math.max(seen, knownAt(result));
  }
  const failedAs = Number.isFinite(newerThan) ? REFRESH.failedAs : previousLeader;
  if (failedAs === undefined) return undefined;
  const published = await redis.run((client) => client.get(keys.failure(key, failedAs)));
  const failure = readFailure(published);
  if (failure) throw failure;
  return undefined;
}
