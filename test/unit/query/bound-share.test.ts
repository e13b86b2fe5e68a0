import { setTimeout as delay } from 'node:timers/promises';

import type { Answer } from '../../../src/query/endpoint-result.js';
import { boundShare } from '../../../src/query/bound-coalescing.js';
import type { ShareAcross } from '../../../src/query/fetch-result.js';
import { sampleAnswer, sampleKey } from '../../support/sample-answer.js';

const ANSWER = sampleAnswer({ bornAt: 0 });
const MAX_MS = 100;

/** Waits for another's query, in vain, and then asks. */
const waitThenAsk =
  (waitMs: number): ShareAcross =>
  async (_key, signal, ask) => {
    await delay(waitMs, undefined, { signal });
    return { answer: await ask(signal), collapsed: false };
  };

const share = (waitMs: number, ask: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal) =>
  boundShare(waitThenAsk(waitMs), MAX_MS)(sampleKey('Rome'), signal, ask, () => 0);

/** A query that lasts until nobody waits for it. */
const askForEver = (signal: AbortSignal): Promise<Answer> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });

describe('a caller that waited for another’s query', () => {
  const { signal } = new AbortController();

  it('has what is left of its time for one of its own', async () => {
    expect(await share(20, () => Promise.resolve(ANSWER), signal)).toEqual({
      answer: ANSWER,
      collapsed: false,
    });
    const began = performance.now();
    await expect(share(60, askForEver, signal)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT', status: 504 });
    expect(performance.now() - began).toBeLessThan(60 + MAX_MS - 1);
  });

  it('is told that its time is over where that is so while it waits', async () => {
    await expect(share(10_000, askForEver, signal)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('gets every other failure as it is', async () => {
    const failure = new Error('refused');
    await expect(share(0, () => Promise.reject(failure), signal)).rejects.toBe(failure);
    const leaving = new AbortController();
    const left = share(0, askForEver, leaving.signal);
    setTimeout(() => {
      leaving.abort();
    }, 20);
    await expect(left).rejects.toThrow('aborted');
  });
});
