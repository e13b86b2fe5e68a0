import { once } from 'node:events';

import { readConfig } from '../../../../src/gateway/config/config.js';
import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { Failure } from '../../../../src/gateway/errors.js';
import { nativeSignal } from '../../../../src/gateway/query/signal.js';
import {
  openQueryExecution,
  type QueryExecution,
} from '../../../../src/gateway/server/open-query-execution.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { oneServer } from '../../../support/query-server.js';
import { RecordingLogger } from '../../../support/recording-logger.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { TestClock } from '../../../support/test-clock.js';

const ENDPOINT = sampleEndpoint({ caching: 900, warming: 300 });
const DECLARING: Endpoint = { ...ENDPOINT, warm: [{ city: 'Rome' }, { city: 'Oslo' }] };

/** Runs a test's body with the query execution of an endpoint; `close` stops it early. */
async function withExecution(
  endpoint: Endpoint,
  use: (execution: QueryExecution, runQuery: FakeRunQuery, close: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const runQuery = new FakeRunQuery();
  const dependencies = {
    endpoints: new EndpointRegistry([endpoint]),
    servers: oneServer(runQuery.run),
    logger: new RecordingLogger(),
    clock: new TestClock().read,
  };
  try {
    const execution = await openQueryExecution(readConfig({}), dependencies, (closeOne) =>
      closers.push(closeOne),
    );
    await use(execution, runQuery, close);
  } finally {
    await close();
  }
}

describe('startWarming', () => {
  it('warms the sets that endpoints declare, as queries of warming', async () => {
    await withExecution(DECLARING, async ({ warmer, cache }, runQuery) => {
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
    await withExecution(ENDPOINT, async ({ warmer }, runQuery) => {
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
    await withExecution(DECLARING, async ({ warmer }, runQuery, close) => {
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
