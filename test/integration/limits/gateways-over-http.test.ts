import { AccessGateway, type KeyRights } from '../../support/access-gateway.js';
import { outcomeOf } from '../../support/network-request.js';
import { delayQueries } from '../../support/pending-queries.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';

const REJECTED = '429 LIMIT_EXCEEDED';
const KEYS: KeyRights = {
  three: { limits: { requests: { quota: 3, window: 60 } } },
  two: { limits: { concurrent: 2 } },
  free: {},
};
const url = (city: string): string => `/api/endpoints/query/sample?city=${city}`;

// limits-across-gateways.test.ts tests limits across gateways without HTTP.
describe('two gateways that share a Redis', () => {
  let a: AccessGateway;
  let b: AccessGateway;
  const started = (): number => a.runQuery.requests.length + b.runQuery.requests.length;

  beforeEach(async () => {
    const options = { keys: KEYS, endpoints: [sampleEndpoint()], clock: () => new Date() };
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    a = await AccessGateway.open({ ...options, environment });
    b = await AccessGateway.open({ ...options, environment });
  });
  afterEach(async () => {
    await a.close();
    await b.close();
  });

  const outcome = async (gateway: AccessGateway, key: string, city: string): Promise<string> =>
    outcomeOf(await gateway.send(key, url(city)));

  it('count and reject the requests of both, cache hits included', async () => {
    expect(await outcome(a, 'three', 'Rome')).toBe('200');
    expect(await outcome(b, 'three', 'Rome')).toBe('200');
    const { headers } = await a.send('three', url('Rome'));
    expect(headers['x-cache']).toBe('HIT');
    expect(headers['ratelimit']).toMatch(/^"requests";r=0;/);
    expect(started()).toBe(1);
    for (const gateway of [a, b]) expect(await outcome(gateway, 'three', 'Rome')).toBe(REJECTED);
    expect(await outcome(b, 'free', 'Rome')).toBe('200');
  });

  it('do not return a leader’s 429 to a follower on the other gateway', async () => {
    const pending = [a, b].map(({ runQuery }) => delayQueries(runQuery));
    const running = [outcome(a, 'two', 'a'), outcome(b, 'two', 'b')];
    await pollUntil('both run', () => started() === 2 || undefined);
    const [rejected, free] = [outcome(a, 'two', 'same'), outcome(b, 'free', 'same')];
    await pollUntil('a third runs', () => started() === 3 || undefined);
    for (const { finish: respond } of pending) respond([]);
    expect(await free).toBe('200');
    // Unless its request joined the other's query.
    expect([REJECTED, '200']).toContain(await rejected);
    await Promise.all(running);
  });
});
