import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { failureFrom, leftFailureOf } from '../cache/left-failure.js';
import type { Answer } from '../execution/answer.js';
import type { AnswerStore } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { AskClickHouse, Fetched, ShareAcross } from '../execution/fetch-answer.js';
import type { PrimaryLink } from './primary-link.js';
import type { FlightOutcome } from './protocol.js';
import { received } from './received.js';

export interface ShareParts {
  readonly link: PrimaryLink;
  /** Where the answer is kept, here and for the others. */
  readonly store: AnswerStore;
  /** Keeps another worker's answer here. */
  readonly keepNear: AnswerStore['set'];
  /** Milliseconds after which one that waits asks for itself. */
  readonly maxWaitMs: number;
}

interface Asking {
  readonly token: string;
  readonly signal: AbortSignal;
  readonly ask: AskClickHouse;
  readonly until: (answer: Answer) => number;
}

/**
 * Workers that miss the same question at the same time: the primary names one that asks ClickHouse, and tells the others
 * its answer or its error. When that one goes, the next asks; without the primary each asks for itself.
 */
export function shareThroughPrimary(parts: ShareParts): ShareAcross {
  const { link, maxWaitMs } = parts;
  return async (key, signal, ask, until) => {
    const token = randomUUID();
    const asking = { token, signal, ask, until };
    // From before the question: the end can come right behind the reply.
    const wait = expectEnd(parts, key, asking);
    try {
      const entered = await link.ask('flights.enter', { key, token });
      // Too late an answer: the place that it may have given must not keep others waiting.
      if (!entered) return await askAlone(parts, key, asking);
      if (entered.role === 'take') return await taken(parts, key, asking, entered.answer);
      const outcome = entered.role === 'ask' ? { ask: true as const } : await wait.over(maxWaitMs, signal);
      if (outcome === undefined) return await askOverdue(parts, key, asking);
      if ('answer' in outcome) return { answer: outcome.answer, collapsed: true };
      if ('failure' in outcome) throw failureFrom(outcome.failure) ?? new Error(outcome.failure.message);
      return await askForAll(parts, key, asking);
    } catch (error) {
      link.tell('flights.leave', { key, token });
      throw error;
    } finally {
      wait.stop();
    }
  };
}

interface Wait {
  /** Undefined where nothing came in time. @throws AbortError where the caller has gone. */
  readonly over: (maxWaitMs: number, signal: AbortSignal) => Promise<FlightOutcome | undefined>;
  readonly stop: () => void;
}

function expectEnd({ link, keepNear }: ShareParts, key: CacheKey, { token, until }: Asking): Wait {
  let end: (outcome: FlightOutcome) => void = () => undefined;
  const ended = new Promise<FlightOutcome>((resolve) => (end = resolve));
  const stop = link.expect(token, (outcome) => {
    if (!('answer' in outcome)) {
      end(outcome);
      return;
    }
    const answer = received(outcome.answer);
    // At once: a purge may be the very next that this worker hears.
    void keepNear(key, answer, until(answer));
    end({ answer });
  });
  const over: Wait['over'] = async (maxWaitMs, signal) => {
    const waited = new AbortController();
    const options = { signal: AbortSignal.any([signal, waited.signal]) };
    try {
      return await Promise.race([ended, delay(maxWaitMs, undefined, options)]);
    } finally {
      waited.abort();
    }
  };
  return { over, stop };
}

async function taken(
  { keepNear }: ShareParts,
  key: CacheKey,
  { until }: Asking,
  told: Answer,
): Promise<Fetched> {
  const answer = received(told);
  await keepNear(key, answer, until(answer));
  return { answer, collapsed: true };
}

async function askForAll({ link, store }: ShareParts, key: CacheKey, asking: Asking): Promise<Fetched> {
  const { token, signal, ask, until } = asking;
  try {
    const answer = await ask(signal);
    // What is partial is nothing to those that wait, which may not want it: one of them asks instead.
    if (!answer.partial) await store.set(key, answer, until(answer));
    link.tell('flights.land', { key, token });
    return { answer, collapsed: false };
  } catch (error) {
    const failure = signal.aborted ? undefined : leftFailureOf(error);
    if (failure) link.tell('flights.land', { key, token, failure });
    throw error;
  }
}

/** After a wait in vain: for all that wait, so that whoever comes now does not wait for a worker that hangs. */
async function askOverdue(parts: ShareParts, key: CacheKey, asking: Asking): Promise<Fetched> {
  const isNext = await parts.link.ask('flights.overtake', { key, token: asking.token });
  return isNext ? askForAll(parts, key, asking) : askAlone(parts, key, asking);
}

async function askAlone(
  { link, store }: ShareParts,
  key: CacheKey,
  { token, signal, ask, until }: Asking,
): Promise<Fetched> {
  link.tell('flights.leave', { key, token });
  const answer = await ask(signal);
  if (!answer.partial) await store.set(key, answer, until(answer));
  return { answer, collapsed: false };
}
