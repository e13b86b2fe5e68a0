import type { QueryResult } from '../../../src/query/ports.js';
import { resultOf } from '../../support/fake-run-query.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { requestCities, refreshedCities, WarmedGateway } from '../../support/warmed-gateway.js';

const QUICK = sampleEndpoint({ caching: 10, warming: 5 });
const SLOW = sampleEndpoint({
  id: '22222222-2222-4333-8444-555555555555',
  name: 'slow',
  caching: 900,
  warming: 60,
});
const SLOW_CITIES = ['slow 1', 'slow 2', 'slow 3'];

/** Lets all that has been promised come about. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A gateway on which queries of the slow endpoint's cities end when the test says so. */
class HeldGateway {
  readonly gateway: WarmedGateway;
  private readonly ends: (() => void)[] = [];

  constructor(concurrency: number) {
    this.gateway = new WarmedGateway([QUICK, SLOW], { concurrency });
    this.gateway.respond = () => (this.isSlow ? this.held() : Promise.resolve(resultOf([])));
  }

  get running(): number {
    return this.ends.length;
  }

  /** Lets the slow queries that run end. */
  async end(): Promise<void> {
    for (const end of this.ends.splice(0)) end();
    await settle();
  }

  /** Lets seconds pass with a tick in each, without waiting for what it starts. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.gateway.clock.advance(1);
      void this.gateway.warmer.tick();
      await settle();
    }
  }

  /** Callers' misses on the slow endpoint, whose queries take twenty seconds. */
  async askForSlow(cities: readonly string[]): Promise<void> {
    const respond = this.gateway.respond;
    this.gateway.respond = () => Promise.resolve({ ...resultOf([]), clickhouseMs: 20_000 });
    await requestCities(this.gateway, SLOW, cities);
    this.gateway.respond = respond;
  }

  private get isSlow(): boolean {
    return String(this.gateway.queries.at(-1)?.parameters['city']).startsWith('slow');
  }

  private held(): Promise<QueryResult> {
    return new Promise((resolve) => {
      this.ends.push(() => {
        resolve({ ...resultOf([]), clickhouseMs: 0 });
      });
    });
  }
}

/** Seconds between refreshes of a city. */
function gapsOf({ refreshes }: WarmedGateway, city: string): readonly number[] {
  const times = refreshes.filter(({ parameters }) => parameters['city'] === city).map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

describe('a slow refresh', () => {
  it('delays no other set: one with an interval of 5 s is refreshed every 5 s beside it', async () => {
    const held = new HeldGateway(2);
    const { gateway } = held;
    await held.askForSlow(['slow 1']);
    gateway.declare(QUICK);
    await held.pass(60);
    expect(held.running).toBe(1);
    await held.pass(60);
    expect(held.running).toBe(1);
    const gaps = gapsOf(gateway, 'Rome');
    expect(gaps.length).toBeGreaterThanOrEqual(22);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5);
    await held.end();
  });

  it('is one of a set at a time, however often the set falls due meanwhile', async () => {
    const held = new HeldGateway(8);
    await held.askForSlow(['slow 1']);
    await held.pass(600);
    expect(refreshedCities(held.gateway)).toEqual(['slow 1']);
    await held.end();
  });

  it.each([2, 3])(
    'leaves one of %i slots to sets that are quick, by what the callers’ queries took',
    async (slots) => {
      const held = new HeldGateway(slots);
      const { gateway } = held;
      await held.askForSlow(SLOW_CITIES);
      gateway.declare(QUICK);
      await held.pass(90);
      expect(held.running).toBe(slots - 1);
      expect(Math.max(...gapsOf(gateway, 'Rome'))).toBeLessThanOrEqual(5);
      await held.end();
    },
  );

  it('leaves the slot free too where only the last refresh was slow', async () => {
    const held = new HeldGateway(3);
    const { gateway } = held;
    for (const city of SLOW_CITIES) gateway.use(SLOW, { city });
    await held.pass(80);
    expect(held.running).toBe(3);
    await held.end();
    for (const city of SLOW_CITIES) gateway.use(SLOW, { city });
    await held.pass(80);
    expect(held.running).toBe(2);
    await held.end();
  });

  it('counts as slow while it runs, though it was quick before', async () => {
    const held = new HeldGateway(2);
    held.gateway.use(SLOW, { city: 'slow 1' });
    await held.pass(62);
    expect(held.running).toBe(1);
    await held.askForSlow(['slow 2']);
    await held.pass(62);
    expect(held.running).toBe(1);
    await held.end();
  });

  it('delays all others where there is one slot', async () => {
    const held = new HeldGateway(1);
    await held.askForSlow(['slow 1']);
    held.gateway.declare(QUICK);
    await held.pass(120);
    expect(held.running).toBe(1);
    expect(Math.max(...gapsOf(held.gateway, 'Rome'))).toBeLessThanOrEqual(5);
    expect(held.gateway.refreshes.at(-1)?.parameters).toMatchObject({ city: 'slow 1' });
    await held.end();
  });
});

describe('how late a refresh starts', () => {
  it('is reported with each: a second at most while there are slots, else the wait for one', async () => {
    const held = new HeldGateway(1);
    const { gateway } = held;
    await requestCities(gateway, QUICK, ['Rome']);
    await held.askForSlow(['slow 1']);
    await held.pass(60);
    expect(Math.max(...gateway.lateMs)).toBeLessThanOrEqual(1000);
    await gateway.send(QUICK, { city: 'Rome' });
    await held.pass(30);
    await held.end();
    expect(Math.max(...gateway.lateMs)).toBeGreaterThan(20_000);
  });

  it('is nothing for a set that is due at once, and for one that is refreshed before it is due', async () => {
    const gateway = new WarmedGateway([QUICK]);
    gateway.declare(QUICK);
    await gateway.warmer.tick();
    await gateway.warmer.tick({ all: true });
    expect(gateway.lateMs).toEqual([0, 0]);
  });
});

describe('the worker while a refresh runs', () => {
  it('starts nothing more once the lease is lost', async () => {
    let leads = true;
    const gateway = new WarmedGateway([QUICK], { concurrency: 1, isLeader: () => leads });
    await requestCities(gateway, QUICK, ['Rome', 'Oslo']);
    gateway.clock.advance(5);
    gateway.respond = () => {
      leads = false;
      return Promise.resolve(resultOf([]));
    };
    await gateway.warmer.tick();
    expect(gateway.refreshes).toHaveLength(1);
  });

  it('starts nothing more once it is stopped, and says when what runs has ended', async () => {
    const held = new HeldGateway(1);
    const { gateway } = held;
    await held.askForSlow(['slow 1', 'slow 2']);
    await held.pass(60);
    expect(held.running).toBe(1);
    const stopped = gateway.warmer.stop();
    await held.end();
    await stopped;
    await gateway.warmer.tick({ all: true });
    expect(gateway.refreshes).toHaveLength(1);
  });

  it('keeps a demand for all sets over the ticks in between, and fulfils it before it resolves', async () => {
    const held = new HeldGateway(1);
    const { gateway } = held;
    await held.askForSlow(['slow 1']);
    await held.pass(60);
    expect(held.running).toBe(1);
    await gateway.send(QUICK, { city: 'Oslo' });
    const all = gateway.warmer.tick({ all: true });
    await held.pass(2);
    gateway.respond = () => Promise.resolve(resultOf([]));
    await held.end();
    await all;
    expect(refreshedCities(gateway).toSorted()).toEqual(['Oslo', 'slow 1', 'slow 1']);
  });
});
