import { AccessGateway, type KeyRights } from '../support/access-gateway.js';
import { outcomeOf } from '../support/network-request.js';
import { pollUntil } from '../support/poll-until.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { holdQueries } from '../support/held-query.js';
import { newPrefix, sharedRedisUrl } from '../support/test-redis.js';

const REFUSED = '429 LIMIT_EXCEEDED';
const KEYS: KeyRights = {
  thirty: { limits: { requests: { quota: 30, window: 60 } } },
  rows: { limits: { rowsRead: { quota: 15, window: 60 } } },
  two: { limits: { concurrent: 2 } },
  free: {},
};
const url = (city: string): string => `/api/endpoints/query/sample?city=${city}`;

let gateways: readonly AccessGateway[];
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
});

const ask = async (at: number, name: string, city: string): Promise<string> =>
  outcomeOf(
    (await gateways[at % gateways.length]?.ask(name, url(city))) ?? { status: 0, headers: {}, text: '' },
  );
const asked = (): number => gateways.reduce((sum, { runQuery }) => sum + runQuery.requests.length, 0);

describe('two gateways that share a Redis', () => {
  beforeEach(async () => {
    const options = { keys: KEYS, endpoints: [sampleEndpoint()], clock: () => new Date() };
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    gateways = [
      await AccessGateway.open({ ...options, environment }),
      await AccessGateway.open({ ...options, environment }),
    ];
  });

  it('let in one quota of a flood over both', async () => {
    const outcomes = await Promise.all(Array.from({ length: 120 }, (_, n) => ask(n, 'thirty', `c${n % 5}`)));
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(30);
    expect(outcomes.filter((outcome) => outcome === REFUSED)).toHaveLength(90);
    expect(await ask(0, 'free', 'c0')).toBe('200');
  });

  it('tell of what was used at the other, hits included', async () => {
    await ask(0, 'thirty', 'Rome');
    await ask(1, 'thirty', 'Rome');
    const third = await gateways[0]?.ask('thirty', url('Rome'));
    expect(third?.headers['x-cache']).toBe('HIT');
    expect(third?.headers['ratelimit']).toMatch(/^"requests";r=27;/);
    expect(asked()).toBe(1);
  });

  it('count a query’s cost together, and hits for nothing', async () => {
    expect(await ask(0, 'rows', 'a')).toBe('200');
    expect(await ask(1, 'rows', 'a')).toBe('200');
    expect(await ask(1, 'rows', 'b')).toBe('200');
    for (const at of [0, 1]) {
      expect(await ask(at, 'rows', 'c')).toBe(REFUSED);
      for (const city of ['a', 'b']) expect(await ask(at, 'rows', city)).toBe('200');
    }
    expect(asked()).toBe(2);
  });

  it('run so many queries of a key at a time', async () => {
    const held = gateways.map(({ runQuery }) => holdQueries(runQuery));
    const running = [ask(0, 'two', 'a'), ask(1, 'two', 'b')];
    await pollUntil('both run', () => asked() === 2 || undefined);
    expect([await ask(0, 'two', 'c'), await ask(1, 'two', 'd')]).toEqual([REFUSED, REFUSED]);
    for (const { answer } of held) answer([]);
    expect(await Promise.all(running)).toEqual(['200', '200']);
    for (const { runQuery } of gateways) runQuery.answer([]);
    await pollUntil('a place is free', async () => (await ask(1, 'two', 'e')) === '200' || undefined);
  });

  it('give nobody the 429 of one that asked at the other', async () => {
    const held = gateways.map(({ runQuery }) => holdQueries(runQuery));
    const running = [ask(0, 'two', 'a'), ask(1, 'two', 'b')];
    await pollUntil('both run', () => asked() === 2 || undefined);
    const [refused, free] = [ask(0, 'two', 'same'), ask(1, 'free', 'same')];
    await pollUntil('a third runs', () => asked() === 3 || undefined);
    for (const { answer } of held) answer([]);
    expect(await free).toBe('200');
    // Unless it came after the other, and waited with it.
    expect([REFUSED, '200']).toContain(await refused);
    await Promise.all(running);
  });
});
