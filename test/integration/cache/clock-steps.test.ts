import { SharedStore } from '../../../src/gateway/cache/shared-store.js';
import { Failure } from '../../../src/gateway/errors.js';
import { AccessGateway } from '../../support/access-gateway.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { sampleResult, sampleKey } from '../../support/sample-result.js';
import { SettableClock } from '../../support/settable-clock.js';
import { startRedis } from '../../support/start-redis.mjs';
import { makeTemporaryFolder } from '../../support/temporary-folder.js';
import { newPrefix, openTestRedis, sharedRedisUrl } from '../../support/test-redis.js';

const CACHING_SECONDS = 3600;
const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
const TARGET = '/api/endpoints/query/sample?city=Rome';
const ENDPOINT = sampleEndpoint({ caching: CACHING_SECONDS, staleIfError: 2 * CACHING_SECONDS });

let gateways: AccessGateway[];
let time: SettableClock;
beforeEach(() => {
  gateways = [];
  time = new SettableClock();
});
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
});

type Environment = Readonly<Record<string, string>>;

async function openGateway(environment: Environment, { clock } = time): Promise<AccessGateway> {
  const keys = { admin: { mayBypassCache: true } };
  const gateway = await AccessGateway.open({ keys, environment, clock, endpoints: [ENDPOINT] });
  gateways.push(gateway);
  return gateway;
}

/** Returns the cache status; expects no age below 0 and no lifetime above the endpoint's in the headers. */
async function request(
  gateway: AccessGateway,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await gateway.send('admin', TARGET, { headers });
  const maxAge = /max-age=(\d+)/.exec(String(response.headers['cache-control']))?.[1];
  const ttl = /ttl=(-?\d+)/.exec(String(response.headers['cache-status']))?.[1];
  expect(Number(response.headers.age)).toBeGreaterThanOrEqual(0);
  expect(Number(maxAge)).toBeLessThanOrEqual(CACHING_SECONDS);
  expect(Number(ttl)).toBeLessThanOrEqual(CACHING_SECONDS);
  return response.headers['x-cache'];
}

describe.each([
  ['a gateway without Redis', (): Environment => ({})],
  [
    'a gateway with Redis',
    (): Environment => ({ REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() }),
  ],
])('%s whose clock was an hour fast and was corrected', (_name, environmentOf) => {
  let gateway: AccessGateway;
  let environment: Environment;
  beforeEach(async () => {
    environment = environmentOf();
    time.advance(HOUR_MS);
    gateway = await openGateway(environment);
    expect(await request(gateway)).toBe('MISS');
    time.advance(-HOUR_MS + 20_000);
  });

  it('queries again, and caches the result for the usual time', async () => {
    expect(await request(gateway)).toBe('MISS');
    expect(await request(gateway)).toBe('HIT');
    time.advance(CACHING_SECONDS * 1000 - 1);
    expect(await request(gateway)).toBe('HIT');
    time.advance(1);
    expect(await request(gateway)).toBe('MISS');
  });

  it('caches the result of a forced refresh', async () => {
    expect(await request(gateway, { 'Cache-Control': 'no-cache' })).toBe('BYPASS');
    expect(await request(gateway)).toBe('HIT');
    const restarted = await openGateway(environment);
    expect(await request(restarted)).toBe('REDIS_URL' in environment ? 'HIT' : 'MISS');
  });

  it('serves no entry of that hour for only-if-cached, or as a stale result', async () => {
    const cached = await gateway.send('admin', TARGET, { headers: { 'Cache-Control': 'only-if-cached' } });
    expect(cached.status).toBe(504);
    gateway.runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'It is unreachable.'));
    expect((await gateway.send('admin', TARGET)).status).toBe(503);
  });
});

describe('two gateways that share a Redis, one ten minutes fast', () => {
  let fast: AccessGateway;
  let right: AccessGateway;
  let environment: Environment;
  beforeEach(async () => {
    environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    const ahead = new SettableClock();
    ahead.advance(TEN_MINUTES_MS);
    fast = await openGateway(environment, ahead);
    right = await openGateway(environment);
  });

  it('cost the other gateway one query, whose result replaces the entry from the future', async () => {
    expect(await request(fast)).toBe('MISS');
    expect(await request(right)).toBe('MISS');
    expect(await request(await openGateway(environment))).toBe('HIT');
    expect(right.runQuery.requests).toHaveLength(1);
  });

  it('serve the fast gateway an entry of the other for as long as the fast clock allows', async () => {
    expect(await request(right)).toBe('MISS');
    expect(await request(fast)).toBe('HIT');
  });

  it('cache new results after a purge by the fast gateway', async () => {
    expect(await request(right)).toBe('MISS');
    await fast.execution.cache.purge({});
    const { local: memory } = right.execution.cache;
    await pollUntil('the other gateway has purged', () => memory.memoryUse().size === 0 || undefined);
    time.advance(5001);
    expect(await request(right)).toBe('MISS');
    expect(await request(right)).toBe('HIT');
  });
});

describe('a write that Redis executes late', () => {
  it('never replaces a newer entry that is in the future only relative to the time of the write', async () => {
    const folder = await makeTemporaryFolder();
    const redis = await startRedis(folder.path);
    const server = await openTestRedis(redis.url);
    try {
      const key = sampleKey('a query');
      const store = new SharedStore(server.redis, server.keys, 100_000, time.clock);
      const newer = sampleResult({ createdAt: time.now });
      await store.set(key, newer, time.now + 60_000);
      time.advance(-30_000);
      redis.child.kill('SIGSTOP');
      await store.set(key, sampleResult({ createdAt: time.now }), time.now + 120_000);
      redis.child.kill('SIGCONT');
      time.advance(30_000);
      expect(await pollUntil('Redis continues', () => store.get(key))).toEqual(newer);
    } finally {
      server.close();
      await redis.stop();
      await folder.remove();
    }
  });
});
