import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { Failure } from '../../src/gateway/errors.js';
import { AccessGateway, keyNamed } from '../support/access-gateway.js';
import { adminConnection } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { McpOnClickHouse } from '../support/mcp-on-clickhouse.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { delayQueries, type PendingQueries } from '../support/pending-queries.js';
import { pollUntil } from '../support/poll-until.js';
import { QUERYGATE } from '../support/run-cli.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { newPrefix, sharedRedisUrl } from '../support/test-redis.js';

const ROWS = [{ city: 'Rome' }];
const prefer = (wait: number): { readonly Prefer: string } => ({ Prefer: `respond-async, wait=${wait}` });

describe.each([
  ['an endpoint that caches', 60],
  ['an endpoint that does not cache', 'disabled'],
] as const)('two gateways that share a Redis, with a deferred call of %s', (_what, caching) => {
  let gateways: readonly [AccessGateway, AccessGateway];
  let pending: readonly PendingQueries[];
  beforeEach(async () => {
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    const options = { keys: { caller: {} }, endpoints: [sampleEndpoint({ caching })], environment };
    const open = (): Promise<AccessGateway> => AccessGateway.open({ ...options, clock: () => new Date() });
    gateways = [await open(), await open()];
    pending = gateways.map(({ runQuery }) => delayQueries(runQuery));
  });
  afterEach(() => Promise.all(gateways.map((gateway) => gateway.close())));

  const sendBoth = (): Promise<readonly NetworkResponse[]> =>
    Promise.all(
      gateways.map((gateway) =>
        gateway.send('caller', '/api/endpoints/query/sample?city=Rome', { headers: prefer(0) }),
      ),
    );
  const queries = (): number => gateways.flatMap(({ runQuery }) => runQuery.requests).length;

  it('run one query, whose result both return', async () => {
    expect((await sendBoth()).map(({ status }) => status)).toEqual([202, 202]);
    await pollUntil('a query runs', () => queries() > 0 || undefined);
    for (const { finish } of pending) finish(ROWS);
    const results = await pollUntil('both have the result', async () => {
      const responses = await sendBoth();
      return responses.every(({ status }) => status === 200) ? responses : undefined;
    });
    expect(results.map(({ text }): unknown => JSON.parse(text))).toEqual(Array(2).fill({ result: ROWS }));
    expect(queries()).toBe(1);
  });

  it('report one failure', async () => {
    await sendBoth();
    await pollUntil('a query runs', () => queries() > 0 || undefined);
    for (const { fail } of pending) fail(new Failure('QUERY_READS_TOO_MUCH', 'Too much.'));
    await pollUntil(
      'both report it',
      async () =>
        (await sendBoth()).every((response) => outcomeOf(response) === '422 QUERY_READS_TOO_MUCH') ||
        undefined,
    );
    expect(queries()).toBe(1);
  });
});

it('a query goes on where a proxy cuts its request, and ClickHouse runs it once', async () => {
  const opened = await McpOnClickHouse.open();
  try {
    const target = '/api/endpoints/query/slow?city=a&seconds=2';
    const cut = new AbortController();
    const first = fetch(opened.gateway.url() + target, {
      headers: { 'X-API-KEY': keyNamed('caller'), 'X-Request-Id': 'first', ...prefer(30) },
      signal: cut.signal,
    });
    await pollUntil('the query runs', async () => (await opened.running('first')) === 1 || undefined);
    cut.abort();
    await expect(first).rejects.toThrow('aborted');
    const again = await opened.gateway.send('caller', target, { headers: prefer(30) });
    expect([again.status, JSON.parse(again.text)]).toEqual([200, { result: [{ city: 'a' }] }]);
    expect(await opened.ended()).toEqual([{ requestId: 'first', type: 'QueryFinish' }]);
  } finally {
    await opened.close();
  }
});

/** Runs for three seconds. */
const ENDPOINT = `
  import { column, defineEndpoint, sql } from 'querygate';

  export default defineEndpoint({
    id: '5b0e6d5e-7e0c-4f43-9d5c-3a1f4f3c2b10',
    name: 'slow',
    summary: 'Waits.',
    parameters: {},
    columns: { rows: column('UInt64', 'The rows.') },
    maxRows: 10,
    caching: 900,
    warming: 0,
    sandboxing: 'disabled',
    example: {},
    build: () => sql\`
      SELECT count() AS rows FROM (SELECT number FROM numbers(3) SETTINGS max_block_size = 1) WHERE sleepEachRow(1) = 0\`,
  });`;

it('the next request starts the query again where its gateway was killed', async () => {
  await withTemporaryFolder(async (folder) => {
    await mkdir(path.join(folder, 'endpoints'));
    await writeFile(path.join(folder, 'endpoints', 'slow.ts'), ENDPOINT);
    const start = (): Promise<GatewayProcess> =>
      GatewayProcess.start([QUERYGATE, 'serve', '--project', folder], {
        ...variablesOf(adminConnection('default')),
        ...{ API_KEY: 'k', REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix },
      });
    const prefix = newPrefix();
    const [killed, other] = await Promise.all([start(), start()]);
    try {
      expect(await killed.call('slow', 'k', prefer(0))).toMatchObject({ status: 202 });
      expect(await other.call('slow', 'k', prefer(0))).toMatchObject({ status: 202 });
      await killed.kill();
      expect(await other.call('slow', 'k', prefer(60))).toMatchObject({ status: 200, rows: [{ rows: 3 }] });
    } finally {
      await Promise.all([killed, other].map((gateway) => gateway.kill()));
    }
  });
});
