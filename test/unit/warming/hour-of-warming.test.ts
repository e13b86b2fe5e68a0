import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import { loadEndpoints } from '../../../src/endpoint/load-endpoints.js';
import { ENDPOINTS_FOLDER } from '../../../src/project-files.js';
import { ageOf, WarmedGateway } from '../../support/warmed-gateway.js';

const HOUR = 3600;
const registry = await loadEndpoints(ENDPOINTS_FOLDER);
const named = (name: string): Endpoint => {
  const endpoint = registry.find(name);
  if (!endpoint) throw new Error(`no endpoint ${name}`);
  return endpoint;
};
const REDIRECTS = named('get-grouped-stats-redirects');

const settingsOf = ({ settings: { caching, warming } }: Endpoint): readonly unknown[] => [caching, warming];

/** How each question of an hour was answered, one every so many seconds. */
async function askEvery(
  gateway: WarmedGateway,
  endpoint: Endpoint,
  seconds: number,
): Promise<readonly { readonly status: string; readonly age: number }[]> {
  const answers: { status: string; age: number }[] = [];
  await gateway.pass(HOUR, async (second) => {
    if (second % seconds !== 0) return;
    const outcome = await gateway.send(endpoint);
    answers.push({ status: outcome.status, age: ageOf(gateway, outcome) });
  });
  return answers;
}

describe('an hour of an endpoint with 900/300', () => {
  const endpoint = named('functions.invocation-stats');

  it.each([5, 60, 400, 899])(
    'answers from the cache all but the first of questions every %i s',
    async (s) => {
      expect(settingsOf(endpoint)).toEqual([900, 300]);
      const [first, ...others] = await askEvery(new WarmedGateway(registry.all()), endpoint, s);
      expect(first?.status).toBe('MISS');
      expect(others.map(({ status }) => status)).toEqual(others.map(() => 'HIT'));
    },
  );

  it('never serves a set that is asked for each minute older than its interval and a tick', async () => {
    const answers = await askEvery(new WarmedGateway(registry.all()), endpoint, 60);
    expect(Math.max(...answers.map(({ age }) => age))).toBeLessThanOrEqual(301);
  });

  it('is refreshed at its interval, at most a tenth early', async () => {
    const gateway = new WarmedGateway(registry.all());
    await askEvery(gateway, endpoint, 60);
    const times = gateway.queries.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(11);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(270);
      expect(gap).toBeLessThanOrEqual(301);
    }
    expect(gateway.refreshes).toHaveLength(gateway.queries.length - 1);
  });

  it('is refreshed twice, and no more, after its only question', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.send(endpoint);
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('is refreshed on after a question between the two', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.send(endpoint);
    await gateway.pass(HOUR, (second) => (second === 400 ? gateway.send(endpoint) : undefined));
    expect(gateway.refreshes).toHaveLength(3);
  });
});

describe('an hour of get-grouped-stats-events-logs (1000/0)', () => {
  const endpoint = named('get-grouped-stats-events-logs');

  it('has a miss every 1000 s and no refresh', async () => {
    expect(settingsOf(endpoint)).toEqual([1000, 0]);
    const gateway = new WarmedGateway(registry.all());
    await askEvery(gateway, endpoint, 10);
    expect(gateway.queries.map(({ by, at }) => [by, at])).toEqual([
      ['caller', 0],
      ['caller', 1000],
      ['caller', 2000],
      ['caller', 3000],
    ]);
  });
});

describe('an hour of get-grouped-stats-redirects (300/1800)', () => {
  it('has an ordinary miss between expiry and the next refresh', async () => {
    expect(settingsOf(REDIRECTS)).toEqual([300, 1800]);
    const gateway = new WarmedGateway(registry.all());
    const statuses: string[] = [];
    await gateway.pass(700, async (second) => {
      if (![0, 299, 300, 599, 600].includes(second)) return;
      statuses.push((await gateway.send(REDIRECTS)).status);
    });
    expect(statuses).toEqual(['MISS', 'HIT', 'MISS', 'HIT', 'MISS']);
    expect(gateway.refreshes).toEqual([]);
  });

  it('is refreshed half an hour after its newest answer, which is then a hit again', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.send(REDIRECTS);
    await gateway.pass(1801);
    const [refresh, ...more] = gateway.refreshes;
    expect(more).toEqual([]);
    expect(refresh?.at).toBeGreaterThanOrEqual(1620);
    expect(refresh?.at).toBeLessThanOrEqual(1800);
    const outcome = await gateway.send(REDIRECTS);
    expect(outcome.status).toBe('HIT');
    expect(ageOf(gateway, outcome)).toBe(1801 - (refresh?.at ?? 0));
  });

  it('needs no refresh while misses keep it new', async () => {
    const gateway = new WarmedGateway(registry.all());
    await askEvery(gateway, REDIRECTS, 60);
    expect(gateway.refreshes).toEqual([]);
    expect(gateway.queries).toHaveLength(12);
  });
});

describe('an hour of logs.all (caching disabled)', () => {
  it('uses ClickHouse each time and never of itself', async () => {
    const endpoint = named('logs.all');
    expect(settingsOf(endpoint)).toEqual(['disabled', 0]);
    const gateway = new WarmedGateway(registry.all());
    const answers = await askEvery(gateway, endpoint, 60);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['BYPASS']));
    expect(gateway.queries).toHaveLength(60);
    expect(gateway.refreshes).toEqual([]);
  });
});

describe('an hour without a question', () => {
  it('has no query at all', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.pass(HOUR);
    expect(gateway.queries).toEqual([]);
  });
});

describe('a refreshed answer', () => {
  it('takes the place of the cached one, with a lifetime that starts anew', async () => {
    const endpoint = named('usage.api-counts');
    const gateway = new WarmedGateway(registry.all());
    const before = await gateway.send(endpoint);
    await gateway.pass(301);
    const after = await gateway.send(endpoint);
    expect(before.result.bodies.identity.toString()).toBe('{"result":[{"query":1}]}');
    expect(after.result.bodies.identity.toString()).toBe('{"result":[{"query":2}]}');
    expect(after.result.digest).not.toBe(before.result.digest);
    expect(after.result.expiresAt - after.result.createdAt).toBe(900_000);
    expect(after.result.createdAt).toBeGreaterThan(before.result.createdAt);
  });
});
