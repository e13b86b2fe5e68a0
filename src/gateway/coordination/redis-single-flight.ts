import { setTimeout as delay } from 'node:timers/promises';

import type { CacheKey } from '../query/cache-key.js';
import { usableUntil } from '../query/call.js';
import { isFresh, knownAt, type EndpointResult } from '../query/endpoint-result.js';
import {
  NotShared,
  type QueryClickHouse,
  type FetchedResult,
  type CoalesceAcrossGateways,
} from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultStore } from '../query/result-store.js';
import { nativeSignal, type Signal } from '../query/signal.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';
import { RedisLease } from './redis-lease.js';
import { readFailure, sharedFailureOf } from './shared-failure.js';

/** Time for which a lock outlives a crashed owner. A live owner renews it, unless its process is blocked for this long. */
const LEASE_MS = 1500;
const RENEW_MS = 400;
const MISS = { of: 'miss', pollMs: 25 } as const;
/**
 * Refreshes poll less often, because no caller waits for them, but still several times while a failure is readable. Their failure has one
 * name for all gateways, because a gateway that starts a moment later must not repeat a failed refresh.
 */
const REFRESH = { of: 'refresh', pollMs: 500, failedAs: 'refresh' } as const;
/** Time for which followers can read the failure of a query. */
const FAILURE_MS = 3000;
/**
 * Published instead of a failure if the result is too large for the shared cache, or partial, which other gateways may not accept. The
 * followers get no result, and run the query at once.
 */
const NOT_SHARED = 'not shared';

/** Form of the token in a lock. No gateway writes another value, so a gateway does not wait for a lock with one. */
const TOKEN = /^[0-9a-f]{32}$/;

export interface RedisSingleFlightDependencies {
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Cache that this gateway shares with the others. */
  readonly store: ResultStore;
  readonly clock: Clock;
  /** Time after which a follower stops waiting and runs the query itself, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether a result is small enough for the shared cache. */
  readonly accepts: (result: EndpointResult) => boolean;
}

/**
 * Single flight across gateways that miss the same query at the same time. The gateway that takes the lock queries ClickHouse. The others
 * wait for its result or its failure. If the owner crashes, its lease expires and another gateway takes over. Without Redis every gateway
 * runs the query itself.
 *
 * There is exactly one query, with two exceptions. If its result is partial or too large to be shared, all gateways run it at the same
 * time. If Redis fails, or the owner's process is blocked for a whole lease, another gateway runs a second query.
 */
export function coalesceThroughRedis(dependencies: RedisSingleFlightDependencies): CoalesceAcrossGateways {
  return (...query) => new RedisFlight(dependencies, ...query).run();
}

/** Outcome of one look into the cache. */
interface Look {
  readonly cached: EndpointResult | undefined;
}

/** A query of this process, which other gateways may run too. */
class RedisFlight {
  private readonly lock: RedisLease;
  private readonly pollMs: number;
  /** Name under which a failure of the query is published. */
  private readonly failedAs: string;
  /**
   * Time since which the first result found is known, but at least the start of the longest possible query. If a result appears that is
   * known since later, it comes from the query for which this gateway waits, even if it has already expired.
   */
  private seen: number;

  constructor(
    private readonly dependencies: RedisSingleFlightDependencies,
    private readonly key: CacheKey,
    private readonly signal: Signal,
    private readonly queryClickHouse: QueryClickHouse,
    private readonly newerThan?: number,
  ) {
    const { redis, keys, clock, maxWaitMs } = dependencies;
    const { of, pollMs } = newerThan === undefined ? MISS : REFRESH;
    this.lock = new RedisLease(redis, keys.lock(key, of), LEASE_MS);
    this.pollMs = pollMs;
    this.failedAs = of === 'miss' ? this.lock.token : REFRESH.failedAs;
    this.seen = clock().getTime() - maxWaitMs;
  }

  async run(): Promise<FetchedResult> {
    // Most calls are alone. So one command looks for the result, and takes the lock where there is no usable result.
    const cached = await this.dependencies.store.get(this.key, this.newerThan, this.lock);
    const fetched = this.lock.isAsked
      ? await this.leadOrFollow({ cached })
      : ((await this.findPublished({ cached })) ?? (await this.leadOrFollow()));
    return { cached, ...fetched };
  }

  /** @param look outcome of the request for the lock, if there was one */
  private async leadOrFollow(look?: Look): Promise<FetchedResult> {
    const { lock, dependencies } = this;
    const deadlineAt = performance.now() + dependencies.maxWaitMs;
    let first = look;
    let previousLeader: string | undefined;
    let following: AbortSignal | undefined;
    while (performance.now() < deadlineAt) {
      const owner = first ? lock.owner : await lock.takeOrRenew();
      if (owner === undefined || !TOKEN.test(owner)) break;
      const known = first;
      first = undefined;
      if (owner === lock.token) {
        const fetched = await this.lead(previousLeader, known);
        if (fetched) return fetched;
        continue;
      }
      if (owner !== previousLeader) {
        const published = await this.findPublished(known, previousLeader);
        if (published) return published;
        if (await this.mustNotWait(previousLeader)) break;
      }
      previousLeader = owner;
      following ??= nativeSignal(this.signal);
      await delay(this.pollMs, undefined, { signal: following });
    }
    const result = await this.queryClickHouse(this.signal);
    void this.storeResult(result);
    return { result, isCollapsed: false };
  }

  /** @returns undefined if the lease expired before the query started, so that another gateway may have taken the lock. */
  private async lead(
    previousLeader: string | undefined,
    look: Look | undefined,
  ): Promise<FetchedResult | undefined> {
    const { lock, signal } = this;
    const renewal = setInterval(() => void lock.renew(), RENEW_MS);
    // Followers of a miss look for a failure under this lock's token, so the previous leader's failure is published again under it.
    let isToPublish = this.failedAs !== REFRESH.failedAs;
    let stored = Promise.resolve();
    try {
      const published = await this.findPublished(look, previousLeader);
      if (published) return published;
      // Throws the failure of the query before. This gateway runs its own in any other case.
      await this.mustNotWait(previousLeader);
      isToPublish = true;
      if (!lock.isHeld) return undefined;
      const result = await this.queryClickHouse(signal);
      stored = this.storeResult(result, lock);
      if (this.failedAs === lock.token && (result.partial || !this.dependencies.accepts(result)))
        stored = stored.then(() => this.publish(NOT_SHARED));
      return { result, isCollapsed: false };
    } catch (error) {
      if (isToPublish && !signal.aborted) await this.publishFailure(error);
      // The lock ends before the response. Otherwise a later request would find the lock, and would get this failure.
      await lock.release();
      throw error;
    } finally {
      clearInterval(renewal);
      // Usually the write of the result ends the lock. No response waits for it, but other gateways wait until the result is stored.
      void stored.then(() => (lock.isHeld ? lock.release() : undefined));
    }
  }

  /** Stores a result. It never rejects. @param lock ended by the write of the result */
  private async storeResult(result: EndpointResult, lock?: RedisLease): Promise<void> {
    const { key } = this;
    if (!result.partial) await this.dependencies.store.set(key, result, usableUntil(result, key), lock);
  }

  private async publishFailure(error: unknown): Promise<void> {
    const failure = sharedFailureOf(error);
    if (error instanceof NotShared) await this.publish(NOT_SHARED);
    else if (failure) await this.publish(JSON.stringify(failure));
  }

  private async publish(instead: string): Promise<void> {
    const { redis, keys } = this.dependencies;
    const name = keys.failure(this.key, this.failedAs);
    await redis.write((client) => client.set(name, instead, 'PX', FAILURE_MS));
  }

  /**
   * Finds a result that another gateway published.
   *
   * @param look outcome of an earlier look, if there was one
   * @param previousLeader token of the gateway that ran the query for which this one waits
   */
  private async findPublished(
    look: Look | undefined,
    previousLeader?: string,
  ): Promise<FetchedResult | undefined> {
    const { store, clock } = this.dependencies;
    const { key, newerThan = -Infinity, seen } = this;
    const result = look ? look.cached : await store.get(key, newerThan);
    if (!result || knownAt(result) <= newerThan) return undefined;
    // A result can expire before its query ends, so the leader's result counts even if it is not fresh.
    const isOfLeader = previousLeader !== undefined && knownAt(result) > seen;
    if (isOfLeader || isFresh(result, clock().getTime())) return { result, isCollapsed: true };
    this.seen = Math.max(seen, knownAt(result));
    return undefined;
  }

  /**
   * Whether the query for which this gateway waited has a result that gateways cannot share.
   *
   * @throws Failure of that query
   */
  private async mustNotWait(previousLeader: string | undefined): Promise<boolean> {
    const { redis, keys } = this.dependencies;
    const failedAs = this.newerThan === undefined ? previousLeader : REFRESH.failedAs;
    if (failedAs === undefined) return false;
    const published = await redis.run((client) => client.get(keys.failure(this.key, failedAs)));
    const failure = readFailure(published);
    if (failure) throw failure;
    return published === NOT_SHARED;
  }
}
