import { Failure } from '../../../../src/gateway/errors.js';
import type { EndpointResult } from '../../../../src/gateway/query/endpoint-result.js';
import { costOf, resultOf } from '../../../support/fake-run-query.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { sampleResult } from '../../../support/sample-result.js';
import {
  requestCities,
  refreshedCities,
  WarmedGateway,
  type WarmedGatewayOptions,
} from '../../../support/warmed-gateway.js';

const HOUR = 3600;
const INTERVAL = 300;
const ENDPOINT = sampleEndpoint({ caching: 900, warming: INTERVAL });
const newGateway = (options?: WarmedGatewayOptions): WarmedGateway => new WarmedGateway([ENDPOINT], options);

describe('the budget of the warmer', () => {
  const slow = (gateway: WarmedGateway, clickhouseMs: number): void => {
    gateway.respond = () => Promise.resolve({ ...resultOf([]), cost: costOf({ clickhouseMs }) });
  };

  it('stops refreshing the least used sets when it is spent, and resumes when it has recovered', async () => {
    // A tenth of wall time: 30 s at once, and 100 ms more each second.
    const gateway = newGateway({ budget: 0.1 });
    await requestCities(gateway, ENDPOINT, ['Rome', 'Rome', 'Rome', 'Paris', 'Paris', 'Oslo']);
    gateway.clock.advance(INTERVAL);
    slow(gateway, 20_000);
    await gateway.pass(1);
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris']);
    await gateway.pass(99);
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris']);
    await gateway.pass(5);
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris', 'Oslo']);
  });

  it('bounds the time of refreshes in the long run', async () => {
    const gateway = newGateway({ budget: 0.1 });
    slow(gateway, 10_000);
    const cities = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await gateway.pass(HOUR, (second) =>
      second % 60 === 0 ? requestCities(gateway, ENDPOINT, cities) : undefined,
    );
    const spentSeconds = gateway.refreshes.length * 10;
    expect(spentSeconds).toBeGreaterThan(0.9 * 0.1 * HOUR);
    expect(spentSeconds).toBeLessThanOrEqual(0.1 * HOUR + 30 + 10);
  });

  it('prevents all refreshes when it is zero', async () => {
    const gateway = newGateway({ budget: 0 });
    gateway.declare(ENDPOINT);
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toEqual([]);
  });
});

describe('a failed refresh', () => {
  const fail = (): Promise<never> => Promise.reject(new Error('ClickHouse is unreachable'));

  it('leaves the cached result in place', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome']);
    gateway.respond = fail;
    await gateway.pass(899);
    expect(gateway.refreshes).not.toEqual([]);
    const { status, result } = await gateway.send(ENDPOINT, { city: 'Rome' });
    expect([status, result.bodies.identity.toString()]).toEqual(['HIT', '{"result":[{"query":1}]}']);
  });

  it('is retried after one, two, four and at most eight intervals', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    gateway.respond = fail;
    await gateway.pass(40 * INTERVAL);
    const intervals = gateway.refreshes.map(({ at }) => at / INTERVAL);
    expect(intervals).toEqual([0, 1, 3, 7, 15, 23, 31, 39]);
  });

  it('resets its backoff after a success', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    gateway.respond = fail;
    await gateway.pass(INTERVAL);
    gateway.respond = () => Promise.resolve(resultOf([]));
    await gateway.pass(2 * INTERVAL + 1);
    expect(gateway.outcomes).toEqual(['sample failed', 'sample ok', 'sample ok', 'sample ok']);
  });

  it('does not prevent refreshes of other sets', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome', 'Rome', 'Oslo']);
    gateway.clock.advance(INTERVAL);
    gateway.respond = () => (gateway.refreshes.length === 1 ? fail() : Promise.resolve(resultOf([])));
    await gateway.warmer.tick();
    expect(gateway.outcomes).toEqual(['sample failed', 'sample ok']);
  });
});

describe('a refresh that this gateway did not run', () => {
  it('costs nothing where another gateway’s query failed, however long this one waited for it', async () => {
    const spent: number[] = [];
    const gateway = newGateway({
      refresh: () => {
        const until = performance.now() + 2;
        while (performance.now() < until);
        return Promise.reject(new Failure('CLICKHOUSE_BUSY', 'It is busy.'));
      },
      onRefreshed: (_endpoint, _outcome, milliseconds) => spent.push(milliseconds),
    });
    gateway.declare(ENDPOINT);
    await gateway.pass(1);
    expect(spent).toEqual([0]);
  });

  it('is the same one as long as its result is known since the same time, so that the set stays in use', async () => {
    const results: EndpointResult[] = [];
    const gateway = newGateway({
      refresh: () =>
        Promise.resolve({ result: results[0] ?? sampleResult({ createdAt: 0 }), isQueried: false }),
    });
    results.push((await gateway.send(ENDPOINT, { city: 'Rome' })).result);
    await gateway.pass(INTERVAL + 5);
    expect(gateway.warmer.state()).toHaveLength(1);
  });
});
