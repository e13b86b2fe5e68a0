import { resultOf } from '../../../support/fake-run-query.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { requestCities, refreshedCities, WarmedGateway } from '../../../support/warmed-gateway.js';

const HOUR = 3600;
const INTERVAL = 300;
const ENDPOINT = sampleEndpoint({ caching: 900, warming: INTERVAL });

describe('warming after the clock was set back by an hour', () => {
  let gateway: WarmedGateway;
  const setBack = (): void => {
    gateway.clock.advance(-HOUR);
  };
  beforeEach(() => {
    gateway = new WarmedGateway([ENDPOINT]);
  });

  it('refreshes a set at once, because its result is from the future, and then at the interval', async () => {
    await requestCities(gateway, ENDPOINT, ['Rome']);
    setBack();
    await gateway.pass(1);
    expect(refreshedCities(gateway)).toEqual(['Rome']);
    expect((await gateway.send(ENDPOINT, { city: 'Rome' })).status).toBe('HIT');
    await gateway.pass(INTERVAL - 2 * INTERVAL * 0.1);
    expect(gateway.refreshes).toHaveLength(1);
    await gateway.pass(2 * INTERVAL * 0.1 + 1);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('counts a new use of a set that was refreshed in that hour', async () => {
    gateway.use(ENDPOINT, { city: 'Rome' });
    await gateway.pass(2 * INTERVAL + 1);
    setBack();
    await gateway.send(ENDPOINT, { city: 'Rome' });
    const before = gateway.refreshes.length;
    await gateway.pass(2 * INTERVAL + 1);
    expect(gateway.refreshes.length).toBe(before + 2);
  });

  it('stops after two refreshes of a set that is not used again', async () => {
    await requestCities(gateway, ENDPOINT, ['Rome']);
    setBack();
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('retries at once a set whose refresh failed in that hour', async () => {
    gateway.declare(ENDPOINT);
    gateway.respond = () => Promise.reject(new Error('ClickHouse is unreachable'));
    await gateway.pass(1);
    setBack();
    gateway.respond = () => Promise.resolve(resultOf([]));
    await gateway.pass(1);
    expect(gateway.outcomes).toEqual(['sample failed', 'sample ok']);
  });
});
