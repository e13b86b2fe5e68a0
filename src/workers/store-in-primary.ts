import { Failure } from '../errors.js';
import { sizeOf } from '../execution/answer.js';
import type { AnswerStore, PurgeScope } from '../execution/answer-store.js';
import type { PrimaryLink } from './primary-link.js';
import type { StoredAnswer } from './protocol.js';
import { received } from './received.js';

/**
 * The answers that the primary keeps for all workers.
 *
 * @param maxAnswerBytes larger answers are left to the workers: to pass one on takes the primary's time from all of them.
 */
export function storeInPrimary(link: PrimaryLink, maxAnswerBytes: number): AnswerStore {
  return {
    get: async (key) => {
      const answer = await link.ask('answers.get', key);
      return answer && received(answer);
    },
    set: (key, answer, keepUntil) => {
      if (sizeOf(answer) <= maxAnswerBytes)
        link.tell('answers.set', { key, answer, keepUntil } satisfies StoredAnswer);
      return Promise.resolve();
    },
    // Of answers that this worker knows to be outdated, and keeps out by itself whoever hears of it.
    purge: (scope) => {
      link.tell('answers.purge', scope);
      return Promise.resolve();
    },
  };
}

/**
 * Purges what the primary and the other workers keep, for somebody who wants to know that it is done.
 *
 * @throws Failure PURGE_INCOMPLETE where a worker does not confirm it, or the primary does not say within twice the time
 *   that it has for an answer.
 */
export async function purgeInPrimary(link: PrimaryLink, scope: PurgeScope): Promise<void> {
  // The primary itself waits for workers. Not through the breaker: a purge is not refused because it was slow a moment ago.
  const waitMs = 2 * link.answerMs;
  const incomplete = (why: string, cause?: unknown): Failure =>
    new Failure(
      'PURGE_INCOMPLETE',
      `The worker that answers has purged what it keeps, but ${why}: they may answer from before the purge. Purge again; ` +
        'if that goes on, restart the gateway.',
      { cause, retryAfterSeconds: Math.ceil(waitMs / 1000) },
    );
  let silent;
  try {
    silent = await link.askFor('answers.purge', scope, waitMs);
  } catch (cause) {
    throw incomplete(`the primary did not say within ${waitMs / 1000} s that the others have`, cause);
  }
  if (silent > 0) throw incomplete(`others have not confirmed that they did (${silent})`);
}
