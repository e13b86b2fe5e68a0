import { setTimeout as delay } from 'node:timers/promises';

import type { Failure } from '../errors.js';
import { isFresh, type Answer } from '../query/endpoint-result.js';
import type { AnswerStore } from '../query/result-store.js';
import type { CacheKey } from '../query/cache-key.js';
import type { AskClickHouse, Fetched, ShareAcross } from '../query/fetch-result.js';
import type { Clock } from '../query/ports.js';
import type { GuardedRedis } from './guarded-redis.js';
import { failureFrom, leftFailureOf, type LeftFailure } from './shared-failure.js';
import type { RedisKeys } from './redis-keys.js';
import { RedisLease } from './redis-lease.js';

/** How long a lock lasts if its holder dies; a living one renews it, unless its process is busy or paused for so long. */
const LEASE_MS = 1500;
const RENEW_MS = 400;
const POLL_MS = 25;
/** How long an error is there for those who wait for its query. */
const FAILURE_MS = 3000;

/** What a lock holds; anything else was not put there by a gateway, and is not waited for. */
const TOKEN = /^[0-9a-f]{32}$/;

export interface RedisShareParts {
  readonly redis: GuardedRedis;
  readonly keys: RedisKeys;
  /** Where the answer is kept, for this gateway and the others. */
  readonly store: AnswerStore;
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
export function shareThroughRedis(parts: RedisShareParts): ShareAcross {
  return async (key, signal, ask, until) => {
    const lock = new RedisLease(parts.redis, parts.keys.lock(key), LEASE_MS);
    const asking = { signal, ask, until };
    const giveUpAt = performance.now() + parts.maxWaitMs;
    let before: string | undefined;
    while (performance.now() < giveUpAt) {
      const holder = await lock.takeOrRenew();
      if (holder === undefined || !TOKEN.test(holder)) break;
      if (holder === lock.token) {
        const fetched = await askAsHolder(parts, key, { lock, before }, asking);
        if (fetched) return fetched;
        continue;
      }
      const left = holder === before ? undefined : await findLeft(parts, key, before);
      if (left) return left;
      before = holder;
      await delay(POLL_MS, undefined, { signal });
    }
    return askAndStore(parts, key, asking);
  };
}

interface Asking {
  readonly signal: AbortSignal;
  readonly ask: AskClickHouse;
  readonly until: (answer: Answer) => number;
}

interface Holding {
  readonly lock: RedisLease;
  /** Token of the one that held the lock before, as far as was seen. */
  readonly before: string | undefined;
}

/** @returns undefined where the lease ended before the query began: another may have the lock, and query. */
async function askAsHolder(
  parts: RedisShareParts,
  key: CacheKey,
  { lock, before }: Holding,
  asking: Asking,
): Promise<Fetched | undefined> {
  const renewal = setInterval(() => void lock.renew(), RENEW_MS);
  try {
    // Whoever held the lock until now may have got what is asked for.
    const left = await findLeft(parts, key, before);
    if (left) return left;
    return lock.isHeld ? await askAndStore(parts, key, asking) : undefined;
  } catch (error) {
    if (!asking.signal.aborted) await leaveFailure(parts, key, lock.token, error);
    throw error;
  } finally {
    clearInterval(renewal);
    await lock.release();
  }
}

async function askAndStore({ store }: RedisShareParts, key: CacheKey, asking: Asking): Promise<Fetched> {
  const answer = await asking.ask(asking.signal);
  // What is partial is nothing to those that wait in other gateways, which may not want it: one of them asks instead.
  if (!answer.partial) await store.set(key, answer, asking.until(answer));
  return { answer, collapsed: false };
}

async function leaveFailure(
  { redis, keys }: RedisShareParts,
  key: CacheKey,
  token: string,
  error: unknown,
): Promise<void> {
  const left = leftFailureOf(error);
  if (!left) return;
  await redis.write((client) => client.set(keys.failure(key, token), JSON.stringify(left), 'PX', FAILURE_MS));
}

/**
 * What others have left: an answer, or the failure of the one that held the lock before, which is thrown.
 *
 * @param before token of that one.
 */
async function findLeft(
  { redis, keys, store, clock }: RedisShareParts,
  key: CacheKey,
  before: string | undefined,
): Promise<Fetched | undefined> {
  const answer = await store.get(key);
  if (answer && isFresh(answer, clock().getTime())) return { answer, collapsed: true };
  if (before === undefined) return undefined;
  const left = await redis.read((client) => client.get(keys.failure(key, before)));
  const failure = typeof left === 'string' ? failureIn(left) : undefined;
  if (failure) throw failure;
  return undefined;
}

function failureIn(left: string): Failure | undefined {
  try {
    return failureFrom(JSON.parse(left) as LeftFailure);
  } catch {
    return undefined;
  }
}
