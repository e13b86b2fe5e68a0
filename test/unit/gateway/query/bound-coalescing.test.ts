import { setTimeout as delay } from 'node:timers/promises';

import { boundCoalescing } from '../../../../src/gateway/query/bound-coalescing.js';
import type { EndpointResult } from '../../../../src/gateway/query/endpoint-result.js';
import type { CoalesceAcrossGateways } from '../../../../src/gateway/query/fetch-result.js';
import { nativeSignal, type Signal } from '../../../../src/gateway/query/signal.js';
import { sampleResult, sampleKey } from '../../../support/sample-result.js';

const RESULT = sampleResult({ createdAt: 0 });
const MAX_MS = 100;

/** Waits for the query of another gateway, which never ends, then runs its own. */
const waitThenQuery =
  (waitMs: number): CoalesceAcrossGateways =>
  async (_key, signal, runQuery) => {
    await delay(waitMs, undefined, { signal: nativeSignal(signal) });
    return { result: await runQuery(signal), isCollapsed: false };
  };

const coalesce = (waitMs: number, runQuery: (signal: Signal) => Promise<EndpointResult>, signal: Signal) =>
  boundCoalescing(waitThenQuery(waitMs), MAX_MS)(sampleKey('Rome'), signal, runQuery);

/** A query that runs until it is aborted. */
const queryForever = (signal: Signal): Promise<EndpointResult> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });

describe('boundCoalescing', () => {
  const { signal } = new AbortController();

  it('leaves a follower’s own query the remaining time', async () => {
    expect(await coalesce(20, () => Promise.resolve(RESULT), signal)).toEqual({
      result: RESULT,
      isCollapsed: false,
    });
    // Timers end in the order of their times, however busy the machine is.
    const first = Promise.race([coalesce(60, queryForever, signal), delay(60 + MAX_MS - 1)]);
    await expect(first).rejects.toMatchObject({ code: 'QUERY_TIMEOUT', status: 504 });
  });

  it('rejects with QUERY_TIMEOUT when the time ends during the wait', async () => {
    await expect(coalesce(10_000, queryForever, signal)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('passes every other failure on', async () => {
    const failure = new Error('refused');
    await expect(coalesce(0, () => Promise.reject(failure), signal)).rejects.toBe(failure);
    const leaving = new AbortController();
    const left = coalesce(0, queryForever, leaving.signal);
    setTimeout(() => {
      leaving.abort();
    }, 20);
    await expect(left).rejects.toThrow('aborted');
  });
});
