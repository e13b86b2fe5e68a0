import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

import type { Answer } from '../../../src/execution/answer.js';
import { forkWorker } from '../../../src/workers/worker-process.js';
import { pollUntil } from '../../support/poll-until.js';
import { answerKept } from '../../support/kept-in-primary.js';
import { TestPrimary } from '../../support/test-workers.js';

const TELLING = fileURLToPath(new URL('../../support/telling-worker.mjs', import.meta.url));
const ANSWERS = 200;

describe('what a worker that is a process of its own tells', () => {
  it('is kept without the memory of the message in which it came', async () => {
    cluster.setupPrimary({ exec: TELLING, args: [], execArgv: [] });
    const primary = new TestPrimary();
    const { channel, kill, onExit } = forkWorker(0, { ANSWERS: String(ANSWERS) });
    const ended = new Promise(onExit);
    primary.hub.join(channel, { 'worker.ready': () => undefined, 'worker.failed': () => undefined });
    try {
      const kept = (n: number): Promise<Answer | undefined> =>
        answerKept(primary.hub, { endpointId: 'a', hash: `question ${n}` });
      await pollUntil('the last answer is kept', () => kept(ANSWERS - 1));
      for (let n = 0; n < ANSWERS; n += 1) {
        const { identity, gzip, br } = (await kept(n))?.bodies ?? {};
        expect([identity, gzip, br].map((body) => body?.buffer.byteLength)).toEqual([2000, 2000, 2000]);
      }
    } finally {
      kill();
      await ended;
    }
    expect(primary.faults).toEqual([]);
  });
});
