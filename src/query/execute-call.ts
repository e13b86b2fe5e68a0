import { Failure } from '../errors.js';
import { isFresh, type Answer } from './endpoint-result.js';
import type { AnswerStore } from './result-store.js';
import type { CacheKey } from './cache-key.js';
import { keepUntil, keyOf, type Answered, type Call, type Question } from './call.js';
import type { FetchAnswer } from './fetch-result.js';
import type { Clock } from './ports.js';

/**
 * @param key what the answer is kept under, where the caller knows it already.
 * @throws Failure: what the caller is told instead of rows.
 */
export type AnswerCall = (call: Call, key?: CacheKey) => Promise<Answered>;

export interface AnswerParts {
  readonly store: AnswerStore;
  /** Asks ClickHouse, or waits for who does already. */
  readonly fetchAnswer: FetchAnswer;
  readonly clock: Clock;
  /** Told of each question to an endpoint that caches, and of its answer. */
  readonly onAnswered: OnAnswered;
}

export type OnAnswered = (question: Question, key: CacheKey, answered: Answered) => void;

/**
 * The way of a validated call: a fresh answer that is kept, else ClickHouse's, else, where ClickHouse fails, one that
 * has expired by no more than the endpoint allows.
 */
export function createAnswerer(parts: AnswerParts): AnswerCall {
  return async (call, key = keyOf(call)) => {
    if (call.endpoint.settings.caching === 'disabled') return answerUncached(parts, call, key);
    const answered = await answerCached(parts, call, key);
    parts.onAnswered(call, key, answered);
    return answered;
  };
}

async function answerUncached({ fetchAnswer }: AnswerParts, call: Call, key: CacheKey): Promise<Answered> {
  if (call.demand === 'only-cached') throw notCached();
  const { answer } = await fetchAnswer({ ...call, refresh: true }, key);
  return { answer, status: 'BYPASS', stored: false, collapsed: false };
}

async function answerCached(
  { store, fetchAnswer, clock }: AnswerParts,
  call: Call,
  key: CacheKey,
): Promise<Answered> {
  const kept = call.demand === 'fresh' ? undefined : await store.get(key);
  if (kept && isFresh(kept, clock().getTime())) return hit(kept);
  if (call.demand === 'only-cached') throw notCached();
  const refresh = call.demand === 'fresh';
  const findStale = async (): Promise<Answered | undefined> => {
    const stale = kept ?? (await store.get(key));
    if (!stale || clock().getTime() >= keepUntil(stale, call.endpoint)) return undefined;
    return { answer: stale, status: 'STALE', stored: true, collapsed: false };
  };
  try {
    const { answer, collapsed } = await fetchAnswer({ ...call, refresh }, key);
    // All rows of a while ago are better than some of now.
    const complete = answer.partial && (await findStale());
    return complete ?? fetched(answer, { refresh, collapsed, expired: kept !== undefined });
  } catch (error) {
    const stale = isUpstreamFailure(error) ? await findStale() : undefined;
    if (!stale) throw error;
    return stale;
  }
}

function fetched(
  answer: Answer,
  { refresh, ...how }: Readonly<Record<'refresh' | 'collapsed' | 'expired', boolean>>,
): Answered {
  return { answer, status: refresh ? 'BYPASS' : 'MISS', stored: !answer.partial, ...how };
}

export interface HitParts {
  /** What the process itself keeps, at once. */
  readonly peek: (hash: string) => Answer | undefined;
  readonly clock: Clock;
  readonly onAnswered: OnAnswered;
}

/** A question's fresh answer where the process has it: the same as {@link AnswerCall}, at once, or undefined. */
export type FindHit = (question: Question, key: CacheKey) => Answered | undefined;

export function createHitFinder({ peek, clock, onAnswered }: HitParts): FindHit {
  return (question, key) => {
    const kept = peek(key.hash);
    if (!kept || !isFresh(kept, clock().getTime())) return undefined;
    const answered = hit(kept);
    onAnswered(question, key, answered);
    return answered;
  };
}

/** A fresh kept answer, as it is answered. */
function hit(answer: Answer): Answered {
  return { answer, status: 'HIT', stored: true, collapsed: false };
}

/** ClickHouse's trouble, as against the caller's mistake, its leaving, or the gateway's own fault. */
function isUpstreamFailure(error: unknown): boolean {
  return error instanceof Failure && error.status >= 502;
}

function notCached(): Failure {
  return new Failure('NOT_CACHED', 'The request asks for a cached result only, and none is fresh.');
}
