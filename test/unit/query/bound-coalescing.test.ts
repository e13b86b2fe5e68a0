import { setTimeout as delay } from 'node:timers/promises';

import { boundCoalescing } from '../../../src/query/bound-coalescing.js';
import type { EndpointResult } from '../../../src/query/endpoint-result.js';
import type { CoalesceAcrossGateways } from '../../../src/query/fetch-result.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';

const ANSWER = sampleResult({ createdAt: 0 });
const MAX_MS = 100;

/** Waits for another's query, in vain, and then asks. */
const waitThenAsk =
  (waitMs: number): CoalesceAcrossGateways =>
  async (_key, signal, runQuery) => {
    await delay(waitMs, undefined, { signal });
    return { result: await runQuery(signal), isCollapsed: false };
  };

const share = (waitMs: number, ask: (signal: AbortSignal) => Promise<EndpointResult>, signal: AbortSignal) =>
  boundCoalescing(waitThenAsk(waitMs), MAX_MS)(sampleKey('Rome'), signal, ask, () => 0);

/** A query that lasts until nobody waits for it. */
const askForEver = (signal: AbortSignal): Promise<EndpointResult> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });

describe('a caller that waited for another’s query', () => {
  const { signal } = new AbortController();

  it('has what is left of its time for one of its own', async () => {
    expect(await share(20, () => Promise.resolve(ANSWER), signal)).toEqual({
      result: ANSWER,
      isCollapsed: false,
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
