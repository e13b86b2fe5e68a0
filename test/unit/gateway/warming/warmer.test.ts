import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import type { QueryResult } from '../../../../src/gateway/query/ports.js';
import { resultOf } from '../../../support/fake-run-query.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
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

/** Makes queries wait; returns functions that end them. */
function delayQueries(gateway: WarmedGateway): (() => void)[] {
  const ends: (() => void)[] = [];
  gateway.respond = () =>
    new Promise<QueryResult>((resolve) => {
      ends.push(() => {
        resolve(resultOf([]));
      });
    });
  return ends;
}

/** Waits until all pending promise callbacks have run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a tick of the warmer', () => {
  it('refreshes the most used sets first', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Oslo', 'Rome', 'Rome', 'Rome', 'Paris', 'Paris']);
    gateway.clock.advance(INTERVAL);
    await gateway.warmer.tick();
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris', 'Oslo']);
  });

  it('refreshes the most used sets first across endpoints', async () => {
    const other = sampleEndpoint({
      id: '22222222-2222-4333-8444-555555555555',
      name: 'other',
      caching: 900,
      warming: INTERVAL,
    });
    const gateway = new WarmedGateway([ENDPOINT, other]);
    await requestCities(gateway, ENDPOINT, ['Oslo', 'Rome', 'Rome', 'Rome']);
    await requestCities(gateway, other, ['Paris', 'Paris']);
    gateway.clock.advance(INTERVAL);
    await gateway.warmer.tick();
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris', 'Oslo']);
  });

  it('refreshes at most maxSets sets of an endpoint, the most used ones', async () => {
    const gateway = newGateway({ maxSets: 2 });
    await requestCities(gateway, ENDPOINT, ['Oslo', 'Rome', 'Rome', 'Rome', 'Paris', 'Paris']);
    await gateway.pass(INTERVAL + 1);
    expect(refreshedCities(gateway).toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('refreshes nothing if maxSets is zero', async () => {
    const gateway = newGateway({ maxSets: 0 });
    gateway.declare(ENDPOINT);
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toEqual([]);
  });

  it.each([1, 2, 5])('runs %i refreshes at a time', async (concurrency) => {
    const gateway = newGateway({ concurrency });
    await requestCities(gateway, ENDPOINT, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    gateway.clock.advance(INTERVAL);
    const ends = delayQueries(gateway);
    const tick = gateway.warmer.tick();
    await settle();
    expect(ends).toHaveLength(concurrency);
    for (let ended = 0; ended < 7; ended += 1) {
      ends[ended]?.();
      await settle();
      expect(ends).toHaveLength(Math.min(7, concurrency + ended + 1));
    }
    await tick;
  });

  it('never refreshes a set twice at a time', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['a', 'b']);
    gateway.clock.advance(INTERVAL);
    const ends = delayQueries(gateway);
    const ticks = [gateway.warmer.tick(), gateway.warmer.tick()];
    await settle();
    gateway.clock.advance(INTERVAL);
    ticks.push(gateway.warmer.tick());
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await settle();
    ends[1]?.();
    await Promise.all(ticks);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('refreshes every set in use again when forced while another tick runs', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['a']);
    gateway.clock.advance(INTERVAL);
    const ends = delayQueries(gateway);
    const running = gateway.warmer.tick();
    await settle();
    gateway.use(ENDPOINT, { city: 'b' });
    const forced = gateway.warmer.tick({ all: true });
    await settle();
    expect(ends).toHaveLength(1);
    gateway.respond = () => Promise.resolve(resultOf([]));
    ends[0]?.();
    await Promise.all([running, forced]);
    expect(refreshedCities(gateway).toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('refreshes sets that are not due only when forced', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.warmer.tick();
    expect(gateway.refreshes).toEqual([]);
    await gateway.warmer.tick({ all: true });
    expect(refreshedCities(gateway)).toEqual(['Rome']);
  });

  it('starts nothing while interactive queries wait, and continues afterwards', async () => {
    let busy = true;
    const gateway = newGateway({ isBusy: () => busy });
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(2 * INTERVAL);
    expect(gateway.refreshes).toEqual([]);
    busy = false;
    await gateway.pass(1);
    expect(refreshedCities(gateway)).toEqual(['Rome']);
  });

  it('stops between two sets when interactive queries start to wait', async () => {
    let busy = false;
    const gateway = newGateway({ isBusy: () => busy });
    await requestCities(gateway, ENDPOINT, ['Rome', 'Rome', 'Oslo']);
    gateway.clock.advance(INTERVAL);
    gateway.respond = () => {
      busy = true;
      return Promise.resolve(resultOf([]));
    };
    await gateway.warmer.tick();
    expect(refreshedCities(gateway)).toEqual(['Rome']);
  });
});

describe('a declared set', () => {
  it('is refreshed from the start and then at its interval, even if unused', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    await gateway.pass(HOUR);
    expect(gateway.refreshes[0]?.at).toBe(0);
    expect(gateway.refreshes.length).toBeGreaterThanOrEqual(12);
    expect((await gateway.send(ENDPOINT)).status).toBe('HIT');
  });

  it('is not listed twice when it is used too', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    await gateway.send(ENDPOINT);
    expect(gateway.warmer.state()).toMatchObject([{ uses: 1 }]);
    await gateway.pass(INTERVAL + 1);
    expect(gateway.refreshes).toHaveLength(1);
  });

  it.each([
    ['has no warming', sampleEndpoint({ caching: 900, warming: 0 })],
    ['has no caching', sampleEndpoint({ caching: 'disabled', warming: 300 })],
  ])('is never refreshed if its endpoint %s', async (_what, endpoint: Endpoint) => {
    const gateway = new WarmedGateway([endpoint]);
    gateway.declare(endpoint);
    await gateway.pass(HOUR);
    await gateway.warmer.tick({ all: true });
    expect(gateway.queries).toEqual([]);
  });
});

describe('the state of the warmer', () => {
  it('lists the last refresh and the next due time of each set', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome', 'Rome']);
    await gateway.pass(INTERVAL + 1);
    await requestCities(gateway, ENDPOINT, ['Rome']);
    const [state, ...more] = gateway.warmer.state();
    expect(more).toEqual([]);
    expect(state).toMatchObject({
      endpoint: 'sample',
      parameters: { city: 'Rome' },
      uses: 3,
      warmed: { failures: 0, lastMs: 1.5, rowsRead: 10, bytesRead: 100, usesAtRefresh: 2 },
    });
    const createdAt = state?.warmed?.createdAt ?? 0;
    expect(state?.dueAt).toBeGreaterThanOrEqual(createdAt + 0.9 * INTERVAL * 1000);
    expect(state?.dueAt).toBeLessThanOrEqual(createdAt + INTERVAL * 1000);
  });

  it('lists a due time of 0 for a declared set that is due at once', () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    expect(gateway.warmer.state()).toMatchObject([{ dueAt: 0 }]);
  });

  it('deletes the state of a set that a full ledger dropped', async () => {
    const gateway = newGateway();
    const { key } = gateway.use(ENDPOINT, { city: 'Rome' });
    await gateway.pass(INTERVAL + 1);
    expect(gateway.refreshes).toHaveLength(1);
    gateway.ledger.forget(key);
    await gateway.pass(1);
    gateway.use(ENDPOINT, { city: 'Rome' });
    expect(gateway.warmer.state()).toMatchObject([{ warmed: undefined }]);
  });

  it('deletes the state of sets that are no longer used', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(HOUR);
    expect(gateway.warmer.state()).toEqual([]);
  });
});
