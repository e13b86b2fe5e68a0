import { mostUsedFirst, UsageLedger, type UsedSet } from '../../../../src/gateway/warming/usage-ledger.js';
import { defineEndpoint } from '../../../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { keyOf } from '../../../../src/gateway/query/cache-key.js';
import type { EndpointQuery } from '../../../../src/gateway/query/endpoint-query.js';
import { validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { costOf } from '../../../support/fake-run-query.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { SAMPLE, sampleEndpoint } from '../../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint();
const queryOf = (city: string): EndpointQuery => ({
  endpoint: ENDPOINT,
  values: validateParameters(ENDPOINT, rawParameters({ city })),
  scope: '',
});

const setOf = (city: string): Pick<UsedSet, 'key' | 'query'> => ({
  key: keyOf(queryOf(city)),
  query: queryOf(city),
});
const use = (ledger: UsageLedger, city: string, lastUsedAt: number, createdAt = 0): void => {
  ledger.count(keyOf(queryOf(city)), queryOf(city), lastUsedAt, { createdAt, cost: costOf({}) });
};

const HOUR_MS = 3_600_000;
/** Later than any use in these tests. */
const NOW = 1e13;
const citiesOf = (sets: readonly UsedSet[]): readonly unknown[] =>
  sets.map(({ query }) => query.values.get('city'));

describe('UsageLedger', () => {
  it('continues with the endpoints of a reload where their results stay the same', () => {
    const ledger = new UsageLedger(10);
    use(ledger, 'Rome', 1000);
    const summary = sampleEndpoint({ summary: 'Another.', caching: 5 });
    ledger.adopt(new EndpointRegistry([summary]));
    const [set] = ledger.sets(ENDPOINT.id, NOW);
    expect([set?.uses, set?.query.endpoint === summary, set?.key.cachingMs]).toEqual([1, true, 5000]);
  });

  it.each([
    ['has another definition', [defineEndpoint({ ...SAMPLE, limit: 3 })]],
    ['has another row cap', [sampleEndpoint({ maxRows: 3 })]],
    ['is removed', []],
  ])('forgets the sets of an endpoint that a reload: it %s', (_what, endpoints) => {
    const ledger = new UsageLedger(10);
    use(ledger, 'Rome', 1000);
    ledger.adopt(new EndpointRegistry(endpoints));
    expect(ledger.sets(ENDPOINT.id, NOW)).toEqual([]);
  });

  it('counts the uses of a set, and remembers the last one', () => {
    const ledger = new UsageLedger(10);
    use(ledger, 'Rome', 1000);
    use(ledger, 'Rome', 3000);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ uses: 2, lastUsedAt: 3000 }]);
  });

  it('ranks recent uses before more frequent uses long ago', () => {
    const ledger = new UsageLedger(10);
    for (let times = 0; times < 100; times += 1) use(ledger, 'Rome', times);
    for (let times = 0; times < 3; times += 1) use(ledger, 'Oslo', 10 * HOUR_MS);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst))).toEqual(['Oslo', 'Rome']);
    for (let times = 0; times < 4; times += 1) use(ledger, 'Rome', 10 * HOUR_MS);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst))).toEqual(['Rome', 'Oslo']);
  });

  it('halves the weight of a use every hour', () => {
    const ledger = new UsageLedger(10);
    use(ledger, 'Rome', 0);
    use(ledger, 'Rome', HOUR_MS);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ uses: 2, weight: 1.5 }]);
  });

  it('ranks declared sets first, used or not', () => {
    const ledger = new UsageLedger(10);
    ledger.declare(['Bonn', 'Paris'].map(setOf));
    use(ledger, 'Paris', 1);
    for (let times = 0; times < 10; times += 1) use(ledger, 'Rome', 1);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst)).at(-1)).toBe('Rome');
  });

  it('keeps the creation time of the newest result, in whatever order results arrive', () => {
    const ledger = new UsageLedger(10);
    use(ledger, 'Rome', 1000, 900);
    use(ledger, 'Rome', 1100, 500);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ createdAt: 900 }]);
  });

  it('remembers the most recently used sets of each endpoint', () => {
    const ledger = new UsageLedger(2);
    for (const city of ['Rome', 'Oslo', 'Rome', 'Paris']) use(ledger, city, 1);
    const cities = ledger.sets(ENDPOINT.id, NOW).map(({ query }) => query.values.get('city'));
    expect(cities.toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('never forgets a declared set, however many other sets are used', () => {
    const ledger = new UsageLedger(1);
    ledger.declare([setOf('Rome')]);
    for (const city of ['Oslo', 'Paris', 'Bonn']) use(ledger, city, 1);
    ledger.forget(keyOf(queryOf('Rome')));
    const declared = ledger
      .sets(ENDPOINT.id, NOW)
      .find(({ key }) => key.hash === keyOf(queryOf('Rome')).hash);
    expect(declared?.lastUsedAt).toBe(Infinity);
  });

  it('has no sets of unused endpoints', () => {
    expect(new UsageLedger(1).sets(ENDPOINT.id, NOW)).toEqual([]);
  });
});
