import { fileURLToPath } from 'node:url';

import { RedisKeys } from '../../../src/gateway/coordination/redis-keys.js';
import { Failure, type ErrorCode } from '../../../src/gateway/errors.js';
import { executeCall } from '../../../src/gateway/query/execute-call.js';
import { keyOf } from '../../../src/gateway/query/cache-key.js';
import type { CallOutcome } from '../../../src/gateway/query/call.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { delayQueries } from '../../support/pending-queries.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { startProcess } from '../../support/start-process.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { newPrefix, openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';
import { watchRedisCommands } from '../../support/watch-redis-commands.js';
import { referenceEndpoints } from '../../support/reference-project.js';

/** A token that no gateway has. */
const NOBODY = 'f'.repeat(32);

let runQuery: FakeRunQuery;
let prefix: string;
let server: TestRedis;
let gateways: TestExecution[];

beforeEach(async () => {
  runQuery = new FakeRunQuery();
  prefix = newPrefix();
  server = await openTestRedis();
  gateways = [];
});
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
  server.close();
});

/** Gateways with one Redis and one ClickHouse, each with connections of its own. */
const open = async (count: number, options: Parameters<typeof openTestExecution>[0] = {}) => {
  const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix, ...options.environment };
  for (let n = 0; n < count; n += 1) {
    gateways.push(await openTestExecution({ runQuery, ...options, environment }));
  }
  return gateways;
};

/** Returns one of the open gateways. */
const gateway = (index: number): TestExecution => {
  const found = gateways[index];
  if (!found) throw new Error(`there is no gateway ${index}`);
  return found;
};

/** Hash of the cache key of `requestCity('Rome')`. */
const ROME = keyOf({ endpoint: sampleEndpoint(), values: new Map([['city', 'Rome']]), scope: '' }).hash;

const textOf = ({ result }: CallOutcome): string => result.bodies.identity.toString();
const untilRequested = (times: number): Promise<true> =>
  pollUntil(`ClickHouse receives ${times} queries`, () => runQuery.requests.length >= times || undefined);

/** Sends a request to every gateway. Waits until each other gateway has read the first one's lease. */
const requestEverywhere = async (): Promise<Promise<CallOutcome>[]> => {
  const others = gateways.slice(1);
  const requests = [gateway(0).requestCity('Rome')];
  await untilRequested(1);
  requests.push(...others.map(({ requestCity }) => requestCity('Rome')));
  for (const promise of requests) promise.catch(() => undefined);
  await untilWaiting(others);
  return requests;
};

const lockOf = (hash: string): string => new RedisKeys(prefix).lock({ endpointId: '', hash }, 'miss');

/** A follower reads the result's key before it begins to poll; both appear as reads of its connection. */
const untilWaiting = async (others: readonly TestExecution[]): Promise<void> => {
  const lock = lockOf(ROME);
  const seen = new Map<string, number>();
  const stop = watchRedisCommands((line) => {
    const source = /^\S+ \[\d+ ([^\]]+)\]/.exec(line)?.[1];
    if (source !== undefined && source !== 'lua' && line.includes(`"${lock}"`)) {
      seen.set(source, (seen.get(source) ?? 0) + 1);
    }
  });
  const waiting = (): boolean => [...seen.values()].filter((polls) => polls >= 3).length >= others.length;
  await pollUntil('the others wait', () => waiting() || undefined);
  stop();
};

describe('identical concurrent requests', () => {
  it('run one query for a thousand requests in one process, and all receive the same bytes', async () => {
    runQuery.returnRows([{ city: 'Rome' }]);
    await open(1);
    const outcomes = await Promise.all(Array.from({ length: 1000 }, () => gateway(0).requestCity('Rome')));
    expect(runQuery.requests).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => outcome.result)).size).toBe(1);
    expect(outcomes.filter((outcome) => outcome.isCollapsed)).toHaveLength(999);
  });

  it.each([2, 3])('run one query on %i gateways that share a Redis', async (count) => {
    const pending = delayQueries(runQuery);
    await open(count);
    const requests = await requestEverywhere();
    pending.finish([{ city: 'Rome' }]);
    const outcomes = await Promise.all(requests);
    expect(runQuery.requests).toHaveLength(1);
    expect(new Set(outcomes.map(textOf))).toEqual(new Set(['{"result":[{"city":"Rome"}]}']));
    expect(outcomes.map(({ isCollapsed }) => isCollapsed)).toEqual([
      false,
      ...Array<boolean>(count - 1).fill(true),
    ]);
    expect(new Set(outcomes.map(({ result }) => result.createdAt)).size).toBe(1);
  });

  it.each([
    ['too large for Redis', [{ city: 'R'.repeat(2000) }], {}],
    ['partial', [{ city: 'Rome' }], { partial: true } as const],
  ])('run at once at all other gateways where the result is %s', async (_what, rows, facts) => {
    const pending = delayQueries(runQuery);
    await open(4, { environment: { CACHE_MAX_SHARED_KB: '1' } });
    const requests = await requestEverywhere();
    pending.finish(rows, facts);
    await untilRequested(4);
    pending.finish(rows, facts);
    expect(new Set((await Promise.all(requests)).map(textOf)).size).toBe(1);
  });

  it('run one query for hundreds of requests on three gateways at once, in any order', async () => {
    await open(3);
    for (let round = 0; round < 30; round += 1) {
      const requests = gateways.flatMap(({ requestCity }) =>
        Array.from({ length: 100 }, () => requestCity(`city ${round}`)),
      );
      await Promise.all(requests);
      expect(runQuery.requests).toHaveLength(round + 1);
    }
  });

  it('leave no lease behind, and set an expiry on every key', async () => {
    await open(2);
    await Promise.all(gateways.map(({ requestCity }) => requestCity('Rome')));
    // No response waits for the deletion of a lease, but a gateway's later commands come after it.
    await Promise.all(gateways.map(({ requestCity }) => requestCity('Rome', { demand: 'fresh' })));
    const names = await server.client.keys(`${prefix}*`);
    expect(names.filter((name) => name.startsWith(`${prefix}lock:`))).toEqual([]);
    expect(names.filter((name) => name.startsWith(`${prefix}result:`))).toHaveLength(1);
    const lives = await Promise.all(names.map((name) => server.client.pttl(name)));
    expect(lives.filter((ms) => ms <= 0)).toEqual([]);
  });

  it('receive the leader’s failure on every gateway, and do not cache it', async () => {
    const pending = delayQueries(runQuery);
    await open(3);
    const requests = await requestEverywhere();
    pending.fail(new Failure('CLICKHOUSE_BUSY', 'ClickHouse is busy.', { retryAfterSeconds: 7 }));
    for (const { reason } of (await Promise.allSettled(requests)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({
        code: 'CLICKHOUSE_BUSY',
        message: 'ClickHouse is busy.',
        details: { retryAfterSeconds: 7 },
      });
    }
    expect(runQuery.requests).toHaveLength(1);
    runQuery.returnRows([{ city: 'Rome' }]);
    expect((await gateway(1).requestCity('Rome')).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
  });

  it.each<ErrorCode>(['LIMIT_EXCEEDED', 'GATEWAY_BUSY'])(
    'do not receive the leader’s own %s: one of the followers queries',
    async (code) => {
      const pending = delayQueries(runQuery);
      await open(3);
      const [first, ...others] = await requestEverywhere();
      pending.fail(new Failure(code, 'Not for you.'));
      await expect(first).rejects.toMatchObject({ code });
      await untilRequested(2);
      pending.finish([]);
      expect([(await Promise.all(others)).length, runQuery.requests.length]).toEqual([2, 2]);
    },
  );

  it('run one query each on gateways whose cache keys have different prefixes', async () => {
    await open(1);
    prefix = newPrefix();
    await open(1);
    await Promise.all(gateways.map(({ requestCity }) => requestCity('Rome')));
    expect(runQuery.requests).toHaveLength(2);
  });
});

describe('a caller that disconnects', () => {
  it('does not cancel the query for the other callers', async () => {
    const pending = delayQueries(runQuery);
    await open(1);
    const controller = new AbortController();
    const disconnected = gateway(0).requestCity('Rome', { signal: controller.signal });
    const connected = gateway(0).requestCity('Rome');
    await untilRequested(1);
    controller.abort(new Error('disconnected'));
    await expect(disconnected).rejects.toThrow('disconnected');
    expect(runQuery.onlyRequest.signal.aborted).toBe(false);
    pending.finish([{ city: 'Rome' }]);
    expect((await connected).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(1);
  });

  it('cancels the query if it is the last caller, and a waiting gateway queries at once', async () => {
    delayQueries(runQuery);
    await open(2);
    const controller = new AbortController();
    const disconnected = gateway(0).requestCity('Rome', { signal: controller.signal });
    await untilRequested(1);
    const connected = gateway(1).requestCity('Rome');
    await untilWaiting(gateways.slice(1));
    runQuery.returnRows([{ city: 'Rome' }]);
    controller.abort(new Error('disconnected'));
    await expect(disconnected).rejects.toThrow('disconnected');
    expect(runQuery.onlyRequest.signal.aborted).toBe(true);
    expect((await connected).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
  });
});

describe('a leader that dies', () => {
  it('is replaced by exactly one of two other gateways', async () => {
    const endpoint = (await referenceEndpoints()).find('usage.api-counts');
    if (!endpoint) throw new Error('usage.api-counts is missing');
    const script = fileURLToPath(new URL('../../support/run-endless-query.mjs', import.meta.url));
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix, PROJECT: 'abc' };
    const leader = startProcess(script, environment);
    await leader.untilWritten(/querying/);
    await open(2, { endpoints: [endpoint] });
    const values = new Map([['project', 'abc']]);
    const call = { endpoint, values, scope: '', requestId: 'x', demand: 'any' } as const;
    const requests = gateways.map((gateway) =>
      executeCall(gateway, { ...call, signal: new AbortController().signal }),
    );
    // The leader lives for longer than one lease, and the others wait for it.
    const key = lockOf(keyOf({ endpoint, values, scope: '' }).hash);
    const alive = performance.now();
    await pollUntil('a lease has ended', () => performance.now() - alive > 1800 || undefined);
    expect(runQuery.requests).toEqual([]);
    expect(await server.client.exists(key)).toBe(1);
    leader.child.kill('SIGKILL');
    await Promise.all(requests);
    expect(runQuery.requests).toHaveLength(1);
  });

  it('is replaced even if its lease names an owner that never existed', async () => {
    await open(1);
    await server.client.set(lockOf(ROME), NOBODY, 'PX', 200);
    await gateway(0).requestCity('Rome');
    expect(runQuery.requests).toHaveLength(1);
  });

  it('is waited for while its lease is renewed, for at most the time of a query and its wait for a slot', async () => {
    await open(1, { environment: { QUERY_TIMEOUT_SECONDS: '0.2', QUEUE_TIMEOUT_SECONDS: '0.4' } });
    await server.client.set(lockOf(ROME), NOBODY, 'PX', 600_000);
    const startedAt = performance.now();
    expect((await gateway(0).requestCity('Rome')).status).toBe('MISS');
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(590);
  });
});

describe('a caller that requires a fresh result', () => {
  it('receives one that replaces the cached result, on this gateway and on gateways without one', async () => {
    runQuery.returnRows([{ city: 'old' }]);
    await open(2);
    await gateway(0).requestCity('Rome');
    runQuery.returnRows([{ city: 'new' }]);
    const fresh = await gateway(0).requestCity('Rome', { demand: 'fresh' });
    expect([fresh.status, runQuery.requests.length]).toEqual(['BYPASS', 2]);
    for (const { requestCity } of gateways) {
      const next = await requestCity('Rome');
      expect([next.status, textOf(next)]).toEqual(['HIT', '{"result":[{"city":"new"}]}']);
    }
    expect(runQuery.requests).toHaveLength(2);
  });
});
