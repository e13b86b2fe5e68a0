import { inOwnMemory, type Answer, type Bodies } from '../execution/answer.js';
import type { AnswerStore } from '../execution/answer-store.js';
import type { PrimaryLink } from './primary-link.js';
import type { StoredAnswer } from './protocol.js';

/** The answers that the primary keeps for all workers. */
export function storeInPrimary(link: PrimaryLink): AnswerStore {
  return {
    get: async (key) => {
      const answer = await link.ask('answers.get', key);
      return answer && received(answer);
    },
    set: (key, answer, keepUntil) => {
      link.tell('answers.set', { key, answer, keepUntil } satisfies StoredAnswer);
      return Promise.resolve();
    },
    // Not through the breaker: a purge must not be lost because the primary was slow a moment ago.
    purge: async (scope) => {
      await link.askFor('answers.purge', scope, PURGE_MS).catch(() => undefined);
    },
  };
}

/** All workers have heard of it by then, or will before anything else. */
const PURGE_MS = 2000;

/** An answer out of a message, without the message's memory. */
export function received(answer: Answer): Answer {
  const { identity, gzip, br } = answer.bodies;
  const bodies: Bodies = {
    identity: inOwnMemory(identity),
    ...(gzip && { gzip: inOwnMemory(gzip) }),
    ...(br && { br: inOwnMemory(br) }),
  };
  return { ...answer, bodies };
}
