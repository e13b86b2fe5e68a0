import { once } from 'node:events';

import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { Failure } from '../../../../src/gateway/errors.js';
import { nativeSignal } from '../../../../src/gateway/query/signal.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { TestClock } from '../../../support/test-clock.js';
import { openTestExecution, type TestExecution } from '../../../support/test-execution.js';

const ENDPOINT = sampleEndpoint({ caching: 900, warming: 300 });
const DECLARING: Endpoint = { ...ENDPOINT, warm: [{ city: 'Rome' }, { city: 'Oslo' }] };

/** Runs a test's body with the query execution of an endpoint. */
async function withExecution(
  endpoint: Endpoint,
  use: (execution: TestExecution) => Promise<void>,
): Promise<void> {
  const execution = await openTestExecution({ endpoints: [endpoint], clock: new TestClock().read });
  await use(execution).finally(execution.close);
}

describe('startWarming', () => {
  it('warms the sets that endpoints declare, as queries of warming', async () => {
    await withExecution(DECLARING, async ({ warmer, cache, clickhouse: runQuery }) => {
      await warmer.tick();
      expect(runQuery.requests.map(({ query }) => query.parameters['city']).toSorted()).toEqual([
        'Oslo',
        'Rome',
      ]);
      for (const { requestId, requester } of runQuery.requests) {
        expect(requestId).toMatch(/^warming-[0-9a-f]{16}$/);
        expect(requester).toMatchObject({ lane: 'warming', priority: 'warming' });
      }
      expect(cache.local.memoryUse().get(ENDPOINT.id)?.entries).toBe(2);
      await warmer.tick();
      expect(runQuery.requests).toHaveLength(2);
    });
  });

  it('runs no query if no set is declared', async () => {
    await withExecution(ENDPOINT, async ({ warmer, clickhouse: runQuery }) => {
      await warmer.tick({ all: true });
      expect(runQuery.requests).toEqual([]);
    });
  });

  it('rejects a declared set that is invalid for its endpoint', async () => {
    const invalid: Endpoint = { ...ENDPOINT, warm: [{ city: 'x'.repeat(10_000) }] };
    await expect(withExecution(invalid, () => Promise.resolve())).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
    });
  });

  it('cancels a running refresh when it is closed, and waits for its end', async () => {
    await withExecution(DECLARING, async ({ warmer, clickhouse: runQuery, close }) => {
      const ended: string[] = [];
      runQuery.respondWith(async ({ signal }) => {
        if (!signal.aborted) await once(nativeSignal(signal), 'abort');
        ended.push('query');
        throw new Failure('CALLER_GONE', 'The query was cancelled.');
      });
      const tick = warmer.tick();
      await new Promise((resolve) => setImmediate(resolve));
      expect(runQuery.requests).toHaveLength(1);
      await close();
      expect(ended).toEqual(['query']);
      await tick;
      expect(runQuery.requests).toHaveLength(1);
    });
  });
});
