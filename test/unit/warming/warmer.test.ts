import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import type { QueryResult } from '../../../src/query/ports.js';
import { resultOf } from '../../support/fake-run-query.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import {
  requestCities,
  refreshedCities,
  WarmedGateway,
  type WarmedGatewayOptions,
} from '../../support/warmed-gateway.js';

const HOUR = 3600;
const INTERVAL = 300;
const ENDPOINT = sampleEndpoint({ caching: 900, warming: INTERVAL });

const newGateway = (options?: WarmedGatewayOptions): WarmedGateway => new WarmedGateway([ENDPOINT], options);

/** Lets a round begin and gives the means to let each of its queries end. */
function holdQueries(gateway: WarmedGateway): (() => void)[] {
  const ends: (() => void)[] = [];
  gateway.respond = () =>
    new Promise<QueryResult>((resolve) => {
      ends.push(() => {
        resolve(resultOf([]));
      });
    });
  return ends;
}

/** Lets all that has been promised come about. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a round of warming', () => {
  it('refreshes the most used sets first', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Oslo', 'Rome', 'Rome', 'Rome', 'Paris', 'Paris']);
    gateway.clock.advance(INTERVAL);
    await gateway.warmer.tick();
    expect(refreshedCities(gateway)).toEqual(['Rome', 'Paris', 'Oslo']);
  });

  it('refreshes the most used first whichever endpoint they are of', async () => {
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

  it('warms no more sets of an endpoint than it may, and those the most used', async () => {
    const gateway = newGateway({ maxSets: 2 });
    await requestCities(gateway, ENDPOINT, ['Oslo', 'Rome', 'Rome', 'Rome', 'Paris', 'Paris']);
    await gateway.pass(INTERVAL + 1);
    expect(refreshedCities(gateway).toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('warms nothing where no set may be warmed', async () => {
    const gateway = newGateway({ maxSets: 0 });
    gateway.declare(ENDPOINT);
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toEqual([]);
  });

  it.each([1, 2, 5])('runs %i queries at a time', async (concurrency) => {
    const gateway = newGateway({ concurrency });
    await requestCities(gateway, ENDPOINT, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    gateway.clock.advance(INTERVAL);
    const ends = holdQueries(gateway);
    const round = gateway.warmer.tick();
    await settle();
    expect(ends).toHaveLength(concurrency);
    for (let ended = 0; ended < 7; ended += 1) {
      ends[ended]?.();
      await settle();
      expect(ends).toHaveLength(Math.min(7, concurrency + ended + 1));
    }
    await round;
  });

  it('never overlaps another', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['a', 'b']);
    gateway.clock.advance(INTERVAL);
    const ends = holdQueries(gateway);
    const rounds = [gateway.warmer.tick(), gateway.warmer.tick()];
    await settle();
    gateway.clock.advance(INTERVAL);
    rounds.push(gateway.warmer.tick());
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await settle();
    ends[1]?.();
    await Promise.all(rounds);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('that is asked for while another runs comes after it, with every set in use', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['a']);
    gateway.clock.advance(INTERVAL);
    const ends = holdQueries(gateway);
    const running = gateway.warmer.tick();
    await settle();
    gateway.use(ENDPOINT, { city: 'b' });
    const asked = gateway.warmer.tick({ all: true });
    await settle();
    expect(ends).toHaveLength(1);
    gateway.respond = () => Promise.resolve(resultOf([]));
    ends[0]?.();
    await Promise.all([running, asked]);
    expect(refreshedCities(gateway).toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('refreshes what is not due yet only when told to', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.warmer.tick();
    expect(gateway.refreshes).toEqual([]);
    await gateway.warmer.tick({ all: true });
    expect(refreshedCities(gateway)).toEqual(['Rome']);
  });

  it('waits while interactive queries wait, and goes on after them', async () => {
    let busy = true;
    const gateway = newGateway({ isBusy: () => busy });
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(2 * INTERVAL);
    expect(gateway.refreshes).toEqual([]);
    busy = false;
    await gateway.pass(1);
    expect(refreshedCities(gateway)).toEqual(['Rome']);
  });

  it('ends between two sets when interactive queries begin to wait', async () => {
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

  it('does nothing on a gateway that is not the leader', async () => {
    const gateway = newGateway({ isLeader: () => false });
    gateway.declare(ENDPOINT);
    await requestCities(gateway, ENDPOINT, ['Oslo']);
    await gateway.pass(HOUR);
    await gateway.warmer.tick({ all: true });
    expect(gateway.refreshes).toEqual([]);
  });
});

describe('a declared set', () => {
  it('is warmed from the start and then at its interval, though nobody uses', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    await gateway.pass(HOUR);
    expect(gateway.refreshes[0]?.at).toBe(0);
    expect(gateway.refreshes.length).toBeGreaterThanOrEqual(12);
    expect((await gateway.send(ENDPOINT)).status).toBe('HIT');
  });

  it('that is asked for too is one set', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    await gateway.send(ENDPOINT);
    expect(await gateway.warmer.state()).toMatchObject([{ uses: 1 }]);
    await gateway.pass(INTERVAL + 1);
    expect(gateway.refreshes).toHaveLength(1);
  });

  it.each([
    ['without warming', sampleEndpoint({ caching: 900, warming: 0 })],
    ['without caching', sampleEndpoint({ caching: 'disabled', warming: 300 })],
  ])('of an endpoint %s is never warmed', async (_what, endpoint: Endpoint) => {
    const gateway = new WarmedGateway([endpoint]);
    gateway.declare(endpoint);
    await gateway.pass(HOUR);
    await gateway.warmer.tick({ all: true });
    expect(gateway.queries).toEqual([]);
  });
});

describe('the state of warming', () => {
  it('tells of each set how it was refreshed, and when it will be', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome', 'Rome']);
    await gateway.pass(INTERVAL + 1);
    await requestCities(gateway, ENDPOINT, ['Rome']);
    const [state, ...more] = await gateway.warmer.state();
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

  it('tells no time for a declared set that is due at once', async () => {
    const gateway = newGateway();
    gateway.declare(ENDPOINT);
    expect(await gateway.warmer.state()).toMatchObject([{ dueAt: 0 }]);
  });

  it('holds nothing of a refresh long ago once the set has dropped out of a full ledger', async () => {
    const gateway = newGateway();
    const { key } = gateway.use(ENDPOINT, { city: 'Rome' });
    await gateway.pass(INTERVAL + 1);
    expect(gateway.refreshes).toHaveLength(1);
    gateway.ledger.forget(key);
    await gateway.pass(3 * INTERVAL);
    gateway.use(ENDPOINT, { city: 'Rome' });
    expect(await gateway.warmer.state()).toMatchObject([{ warmed: undefined }]);
  });

  it('keeps what it knows of a set that is not listed for a while', async () => {
    const gateway = newGateway();
    const { key } = gateway.use(ENDPOINT, { city: 'Rome' });
    await gateway.pass(INTERVAL + 1);
    gateway.ledger.forget(key);
    await gateway.pass(INTERVAL);
    gateway.use(ENDPOINT, { city: 'Rome' });
    expect(await gateway.warmer.state()).toMatchObject([{ warmed: { failures: 0 } }]);
  });

  it('holds nothing of sets that nobody uses any more', async () => {
    const gateway = newGateway();
    await requestCities(gateway, ENDPOINT, ['Rome']);
    await gateway.pass(HOUR);
    expect(await gateway.warmer.state()).toEqual([]);
  });
});
