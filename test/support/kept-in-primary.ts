import type { Answer } from '../../src/execution/answer.js';
import type { CacheKey } from '../../src/execution/cache-key.js';
import type { Hub } from '../../src/workers/hub.js';

/** The very object that a primary keeps for a question: asked for over a channel that copies nothing. */
export function answerKept(hub: Hub, key: CacheKey): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let ask: (message: unknown) => void = () => undefined;
    const member = hub.join(
      {
        send: (reply) => {
          member.leave();
          resolve((reply as { readonly value: Answer | undefined }).value);
        },
        onMessage: (listener) => (ask = listener),
      },
      { 'worker.ready': () => undefined, 'worker.failed': () => undefined },
    );
    ask({ kind: 'call', id: 1, method: 'answers.get', value: key });
  });
}
