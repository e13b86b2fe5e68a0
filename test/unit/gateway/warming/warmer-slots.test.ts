import type { QueryResult } from '../../../../src/gateway/query/ports.js';
import { costOf, resultOf } from '../../../support/fake-run-query.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { requestCities, refreshedCities, WarmedGateway } from '../../../support/warmed-gateway.js';

const QUICK = sampleEndpoint({ caching: 10, warming: 5 });
const SLOW = sampleEndpoint({
  id: '22222222-2222-4333-8444-555555555555',
  name: 'slow',
  caching: 900,
  warming: 60,
});
const SLOW_CITIES = ['slow 1', 'slow 2', 'slow 3'];

/** Waits until all pending promise callbacks have run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A gateway on which queries for slow cities run until the test ends them. */
class BlockedGateway {
  readonly gateway: WarmedGateway;
  private readonly ends: (() => void)[] = [];

  constructor(concurrency: number) {
    this.gateway = new WarmedGateway([QUICK, SLOW], { concurrency });
    this.gateway.respond = () => (this.isSlow ? this.blocked() : Promise.resolve(resultOf([])));
  }

  get running(): number {
    return this.ends.length;
  }

  /** Ends the running slow queries. */
  async end(): Promise<void> {
    for (const end of this.ends.splice(0)) end();
    await settle();
  }

  /** Advances the clock with a tick every second, without waiting for the refreshes. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.gateway.clock.advance(1);
      void this.gateway.warmer.tick();
      await settle();
    }
  }

  /** Callers' misses of slow cities, whose queries take twenty seconds. */
  async askForSlow(cities: readonly string[]): Promise<void> {
    const respond = this.gateway.respond;
    this.gateway.respond = () => Promise.resolve({ ...resultOf([]), cost: costOf({ clickhouseMs: 20_000 }) });
    await requestCities(this.gateway, SLOW, cities);
    this.gateway.respond = respond;
  }

  private get isSlow(): boolean {
    return String(this.gateway.queries.at(-1)?.parameters['city']).startsWith('slow');
  }

  private blocked(): Promise<QueryResult> {
    return new Promise((resolve) => {
      this.ends.push(() => {
        resolve({ ...resultOf([]), cost: costOf({ clickhouseMs: 0 }) });
      });
    });
  }
}

/** Seconds between the refreshes of a city. */
function gapsOf({ refreshes }: WarmedGateway, city: string): readonly number[] {
  const times = refreshes.filter(({ parameters }) => parameters['city'] === city).map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

describe('a slow refresh', () => {
  it('does not delay other sets: one with an interval of 5 s is refreshed every 5 s', async () => {
    const blocked = new BlockedGateway(2);
    const { gateway } = blocked;
    await blocked.askForSlow(['slow 1']);
    gateway.declare(QUICK);
    await blocked.pass(60);
    expect(blocked.running).toBe(1);
    await blocked.pass(60);
    expect(blocked.running).toBe(1);
    const gaps = gapsOf(gateway, 'Rome');
    expect(gaps.length).toBeGreaterThanOrEqual(22);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5);
    await blocked.end();
  });

  it('runs once at a time for a set, however often the set becomes due', async () => {
    const blocked = new BlockedGateway(8);
    await blocked.askForSlow(['slow 1']);
    await blocked.pass(600);
    expect(refreshedCities(blocked.gateway)).toEqual(['slow 1']);
    await blocked.end();
  });

  it.each([2, 3])('leaves one of %i slots to sets whose callers’ queries were fast', async (slots) => {
    const blocked = new BlockedGateway(slots);
    const { gateway } = blocked;
    await blocked.askForSlow(SLOW_CITIES);
    gateway.declare(QUICK);
    await blocked.pass(90);
    expect(blocked.running).toBe(slots - 1);
    expect(Math.max(...gapsOf(gateway, 'Rome'))).toBeLessThanOrEqual(5);
    await blocked.end();
  });

  it('leaves the slot free even if only the last refresh was slow', async () => {
    const blocked = new BlockedGateway(3);
    const { gateway } = blocked;
    for (const city of SLOW_CITIES) gateway.use(SLOW, { city });
    await blocked.pass(80);
    expect(blocked.running).toBe(3);
    await blocked.end();
    for (const city of SLOW_CITIES) gateway.use(SLOW, { city });
    await blocked.pass(80);
    expect(blocked.running).toBe(2);
    await blocked.end();
  });

  it('counts as slow while it runs, even if it was fast before', async () => {
    const blocked = new BlockedGateway(2);
    blocked.gateway.use(SLOW, { city: 'slow 1' });
    await blocked.pass(62);
    expect(blocked.running).toBe(1);
    await blocked.askForSlow(['slow 2']);
    await blocked.pass(62);
    expect(blocked.running).toBe(1);
    await blocked.end();
  });

  it('delays all other sets if there is only one slot', async () => {
    const blocked = new BlockedGateway(1);
    await blocked.askForSlow(['slow 1']);
    blocked.gateway.declare(QUICK);
    await blocked.pass(120);
    expect(blocked.running).toBe(1);
    expect(Math.max(...gapsOf(blocked.gateway, 'Rome'))).toBeLessThanOrEqual(5);
    expect(blocked.gateway.refreshes.at(-1)?.parameters).toMatchObject({ city: 'slow 1' });
    await blocked.end();
  });
});

describe('the reported delay of a refresh', () => {
  it('is at most a second while slots are free, and otherwise the wait for a slot', async () => {
    const blocked = new BlockedGateway(1);
    const { gateway } = blocked;
    await requestCities(gateway, QUICK, ['Rome']);
    await blocked.askForSlow(['slow 1']);
    await blocked.pass(60);
    expect(Math.max(...gateway.lateMs)).toBeLessThanOrEqual(1000);
    await gateway.send(QUICK, { city: 'Rome' });
    await blocked.pass(30);
    await blocked.end();
    expect(Math.max(...gateway.lateMs)).toBeGreaterThan(20_000);
  });

  it('is zero for a set that is due at once, and for one that is refreshed early', async () => {
    const gateway = new WarmedGateway([QUICK]);
    gateway.declare(QUICK);
    await gateway.warmer.tick();
    await gateway.warmer.tick({ all: true });
    expect(gateway.lateMs).toEqual([0, 0]);
  });
});

describe('the warmer while a refresh runs', () => {
  it('starts no more refreshes when it is stopped, and resolves when the running ones have ended', async () => {
    const blocked = new BlockedGateway(1);
    const { gateway } = blocked;
    await blocked.askForSlow(['slow 1', 'slow 2']);
    await blocked.pass(60);
    expect(blocked.running).toBe(1);
    const stopped = gateway.warmer.stop();
    await blocked.end();
    await stopped;
    await gateway.warmer.tick({ all: true });
    expect(gateway.refreshes).toHaveLength(1);
  });

  it('keeps a forced refresh of all sets across later ticks, and resolves after it', async () => {
    const blocked = new BlockedGateway(1);
    const { gateway } = blocked;
    await blocked.askForSlow(['slow 1']);
    await blocked.pass(60);
    expect(blocked.running).toBe(1);
    await gateway.send(QUICK, { city: 'Oslo' });
    const all = gateway.warmer.tick({ all: true });
    await blocked.pass(2);
    gateway.respond = () => Promise.resolve(resultOf([]));
    await blocked.end();
    await all;
    expect(refreshedCities(gateway).toSorted()).toEqual(['Oslo', 'slow 1', 'slow 1']);
  });
});
