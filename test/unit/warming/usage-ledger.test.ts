import { keyOf, type EndpointQuery } from '../../../src/query/call.js';
import { validateParameters } from '../../../src/query/validate-parameters.js';
import { mergeUse, mostUsedFirst, UsageLedger, type UsedSet } from '../../../src/warming/usage-ledger.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint();
const about = (city: string): EndpointQuery => ({
  endpoint: ENDPOINT,
  values: validateParameters(ENDPOINT, rawParameters({ city })),
  scope: '',
});
const ask = (ledger: UsageLedger, city: string, lastUsedAt: number, createdAt = 0): void => {
  ledger.count(keyOf(about(city)), about(city), lastUsedAt, { createdAt, clickhouseMs: 1 });
};

const HOUR_MS = 3_600_000;
/** Later than anything that the ledger is told. */
const NOW = 1e13;
const citiesOf = (sets: readonly UsedSet[]): readonly unknown[] =>
  sets.map(({ query }) => query.values.get('city'));

describe('the ledger of use', () => {
  it('counts how often a set was asked for, and remembers when last', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000);
    ask(ledger, 'Rome', 3000);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ uses: 2, lastUsedAt: 3000 }]);
  });

  it('puts what is asked now before what was asked more often long ago', () => {
    const ledger = new UsageLedger(10);
    for (let times = 0; times < 100; times += 1) ask(ledger, 'Rome', times);
    for (let times = 0; times < 3; times += 1) ask(ledger, 'Oslo', 10 * HOUR_MS);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst))).toEqual(['Oslo', 'Rome']);
    for (let times = 0; times < 4; times += 1) ask(ledger, 'Rome', 10 * HOUR_MS);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst))).toEqual(['Rome', 'Oslo']);
  });

  it('halves the weight of an ask with each hour', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 0);
    ask(ledger, 'Rome', HOUR_MS);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ uses: 2, weight: 1.5 }]);
  });

  it('puts declared sets first', () => {
    const ledger = new UsageLedger(10);
    ledger.declare(keyOf(about('Bonn')), about('Bonn'));
    ledger.declare(keyOf(about('Paris')), about('Paris'));
    ask(ledger, 'Rome', 1);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst)).at(-1)).toBe('Rome');
  });

  it('adds the use that another gateway saw, as much as is left of it', () => {
    const [here, elsewhere] = [0, HOUR_MS].map((lastUsedAt) => {
      const ledger = new UsageLedger(10);
      ask(ledger, 'Rome', lastUsedAt);
      return ledger.sets(ENDPOINT.id, NOW)[0];
    }) as [UsedSet, UsedSet];
    expect(mergeUse(here, elsewhere)).toMatchObject({ uses: 2, weight: 1.5, lastUsedAt: HOUR_MS });
    expect(mergeUse(elsewhere, here)).toMatchObject({ uses: 2, weight: 1.5, lastUsedAt: HOUR_MS });
  });

  it('keeps the birth of the newest answer, in whatever order the answers come', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000, 900);
    ask(ledger, 'Rome', 1100, 500);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ createdAt: 900 }]);
  });

  it('remembers of each endpoint the sets that were asked for last', () => {
    const ledger = new UsageLedger(2);
    for (const city of ['Rome', 'Oslo', 'Rome', 'Paris']) ask(ledger, city, 1);
    const cities = ledger.sets(ENDPOINT.id, NOW).map(({ query }) => query.values.get('city'));
    expect(cities.toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('never forgets a declared set, however many others are asked for', () => {
    const ledger = new UsageLedger(1);
    ledger.declare(keyOf(about('Rome')), about('Rome'));
    for (const city of ['Oslo', 'Paris', 'Bonn']) ask(ledger, city, 1);
    ledger.forget(keyOf(about('Rome')));
    const declared = ledger.sets(ENDPOINT.id, NOW).find(({ key }) => key.hash === keyOf(about('Rome')).hash);
    expect(declared?.lastUsedAt).toBe(Infinity);
  });

  it('knows nothing of endpoints that were not asked', () => {
    expect(new UsageLedger(1).sets(ENDPOINT.id, NOW)).toEqual([]);
  });
});
