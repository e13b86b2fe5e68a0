import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { Failure, type ErrorCode } from '../errors.js';
import { isFresh, type Answer } from '../execution/answer.js';
import type { AnswerStore } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { AskClickHouse, Fetched, ShareAcross } from '../execution/fetch-answer.js';
import type { Clock } from '../execution/ports.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisKeys } from './redis-keys.js';

/** How long a lock lasts if its holder dies; a living one renews it. */
const LEASE_MS = 1500;
const RENEW_MS = 400;
const POLL_MS = 25;
/** How long an error is there for those who wait for its query. */
const FAILURE_MS = 3000;

const RENEW = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('pexpire', KEYS[1], ARGV[2])`;
const UNLOCK = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('del', KEYS[1])`;

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
 */
export function shareThroughRedis(parts: RedisShareParts): ShareAcross {
  return async (key, signal, ask, until) => {
    const token = randomBytes(16).toString('hex');
    const giveUpAt = performance.now() + parts.maxWaitMs;
    let holder: string | undefined;
    while (performance.now() < giveUpAt) {
      const taken = await takeLock(parts, key, token);
      if (taken === 'mine') return askAsHolder(parts, key, token, { signal, ask, until });
      if (taken === 'unknown') break;
      const found = await lookAround(parts, key, holder);
      if (found.answer) return { answer: found.answer, collapsed: true };
      holder = found.holder ?? holder;
      await delay(POLL_MS, undefined, { signal });
    }
    return askAndStore(parts, key, { signal, ask, until });
  };
}

interface Asking {
  readonly signal: AbortSignal;
  readonly ask: AskClickHouse;
  readonly until: (answer: Answer) => number;
}

async function takeLock(
  { redis, keys }: RedisShareParts,
  key: CacheKey,
  token: string,
): Promise<'mine' | 'held' | 'unknown'> {
  const reply = await redis.write((client) => client.set(keys.lock(key), token, 'PX', LEASE_MS, 'NX'));
  if (reply === undefined) return 'unknown';
  return reply === 'OK' ? 'mine' : 'held';
}

async function askAsHolder(
  parts: RedisShareParts,
  key: CacheKey,
  token: string,
  asking: Asking,
): Promise<Fetched> {
  const { redis, keys } = parts;
  const renewal = setInterval(() => {
    void redis.write((client) => client.eval(RENEW, 1, keys.lock(key), token, LEASE_MS));
  }, RENEW_MS);
  try {
    return await askAndStore(parts, key, asking);
  } catch (error) {
    if (!asking.signal.aborted) await leaveFailure(parts, key, token, error);
    throw error;
  } finally {
    clearInterval(renewal);
    await redis.write((client) => client.eval(UNLOCK, 1, keys.lock(key), token));
  }
}

async function askAndStore({ store }: RedisShareParts, key: CacheKey, asking: Asking): Promise<Fetched> {
  const answer = await asking.ask(asking.signal);
  await store.set(key, answer, asking.until(answer));
  return { answer, collapsed: false };
}

/** The public half of a failure, for those who wait in other gateways. */
interface LeftFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

async function leaveFailure(
  { redis, keys }: RedisShareParts,
  key: CacheKey,
  token: string,
  error: unknown,
): Promise<void> {
  if (!(error instanceof Failure)) return;
  const { code, message, details } = error;
  const left = { code, message, retryAfterSeconds: details.retryAfterSeconds, problems: details.problems };
  await redis.write((client) => client.set(keys.failure(key, token), JSON.stringify(left), 'PX', FAILURE_MS));
}

/**
 * What the holder has left: its answer, or its failure, which is thrown.
 *
 * @param holder token of the lock that was seen before.
 */
async function lookAround(
  { redis, keys, store, clock }: RedisShareParts,
  key: CacheKey,
  holder: string | undefined,
): Promise<{ readonly answer?: Answer; readonly holder?: string }> {
  const answer = await store.get(key);
  if (answer && isFresh(answer, clock().getTime())) return { answer };
  if (holder !== undefined) {
    const left = await redis.read((client) => client.get(keys.failure(key, holder)));
    if (left) throw failureFrom(left);
  }
  const current = await redis.read((client) => client.get(keys.lock(key)));
  return current ? { holder: current } : {};
}

function failureFrom(left: string): Failure {
  const { code, message, ...details } = JSON.parse(left) as LeftFailure;
  return new Failure(code, message, { ...details, diagnosis: 'the query was asked by another gateway' });
}
