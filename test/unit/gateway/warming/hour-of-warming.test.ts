import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { ageOf, WarmedGateway } from '../../../support/warmed-gateway.js';
import { referenceEndpoints } from '../../../support/reference-project.js';

const HOUR = 3600;
const registry = await referenceEndpoints();
const endpointNamed = (name: string): Endpoint => {
  const endpoint = registry.find(name);
  if (!endpoint) throw new Error(`no endpoint ${name}`);
  return endpoint;
};
const REDIRECTS = endpointNamed('get-grouped-stats-redirects');

const settingsOf = ({ settings: { caching, warming } }: Endpoint): readonly unknown[] => [caching, warming];

/** Cache status and age of each response in an hour with one request every so many seconds. */
async function requestEvery(
  gateway: WarmedGateway,
  endpoint: Endpoint,
  seconds: number,
): Promise<readonly { readonly status: string; readonly age: number }[]> {
  const responses: { status: string; age: number }[] = [];
  await gateway.pass(HOUR, async (second) => {
    if (second % seconds !== 0) return;
    const outcome = await gateway.send(endpoint);
    responses.push({ status: outcome.status, age: ageOf(gateway, outcome) });
  });
  return responses;
}

describe('an hour of an endpoint with 900/300', () => {
  const endpoint = endpointNamed('functions.invocation-stats');

  it.each([5, 60, 400, 899])('serves all but the first of requests every %i s from the cache', async (s) => {
    expect(settingsOf(endpoint)).toEqual([900, 300]);
    const [first, ...others] = await requestEvery(new WarmedGateway(registry.all()), endpoint, s);
    expect(first?.status).toBe('MISS');
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'HIT'));
  });

  it('never serves a result older than its interval and a tick when the set is used every minute', async () => {
    const responses = await requestEvery(new WarmedGateway(registry.all()), endpoint, 60);
    expect(Math.max(...responses.map(({ age }) => age))).toBeLessThanOrEqual(301);
  });

  it('refreshes at the interval, at most a tenth early', async () => {
    const gateway = new WarmedGateway(registry.all());
    await requestEvery(gateway, endpoint, 60);
    const times = gateway.queries.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(11);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(270);
      expect(gap).toBeLessThanOrEqual(301);
    }
    expect(gateway.refreshes).toHaveLength(gateway.queries.length - 1);
  });

  it('refreshes exactly twice after a single request', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.send(endpoint);
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('continues to refresh after another request between the two', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.send(endpoint);
    await gateway.pass(HOUR, (second) => (second === 400 ? gateway.send(endpoint) : undefined));
    expect(gateway.refreshes).toHaveLength(3);
  });
});

describe('an hour of get-grouped-stats-events-logs (1000/0)', () => {
  const endpoint = endpointNamed('get-grouped-stats-events-logs');

  it('misses every 1000 s and never refreshes', async () => {
    expect(settingsOf(endpoint)).toEqual([1000, 0]);
    const gateway = new WarmedGateway(registry.all());
    await requestEvery(gateway, endpoint, 10);
    expect(gateway.queries.map(({ by, at }) => [by, at])).toEqual([
      ['caller', 0],
      ['caller', 1000],
      ['caller', 2000],
      ['caller', 3000],
    ]);
  });
});

describe('an hour of get-grouped-stats-redirects (300/1800)', () => {
  it('misses between expiry and the next refresh', async () => {
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

  it('refreshes half an hour after the newest result, and then hits again', async () => {
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

  it('does not refresh while misses renew the result', async () => {
    const gateway = new WarmedGateway(registry.all());
    await requestEvery(gateway, REDIRECTS, 60);
    expect(gateway.refreshes).toEqual([]);
    expect(gateway.queries).toHaveLength(12);
  });
});

describe('an hour of logs.all (caching disabled)', () => {
  it('queries ClickHouse for each request and never refreshes', async () => {
    const endpoint = endpointNamed('logs.all');
    expect(settingsOf(endpoint)).toEqual(['disabled', 0]);
    const gateway = new WarmedGateway(registry.all());
    const responses = await requestEvery(gateway, endpoint, 60);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set(['BYPASS']));
    expect(gateway.queries).toHaveLength(60);
    expect(gateway.refreshes).toEqual([]);
  });
});

describe('an hour without requests', () => {
  it('runs no query', async () => {
    const gateway = new WarmedGateway(registry.all());
    await gateway.pass(HOUR);
    expect(gateway.queries).toEqual([]);
  });
});

describe('a refreshed result', () => {
  it('replaces the cached result, with a new lifetime', async () => {
    const endpoint = endpointNamed('usage.api-counts');
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
