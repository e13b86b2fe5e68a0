import { keyOf, type Question } from '../../../src/query/call.js';
import { validateParameters } from '../../../src/query/validate-parameters.js';
import { mergeUse, mostUsedFirst, UsageLedger, type UsedSet } from '../../../src/warming/usage-ledger.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint();
const about = (city: string): Question => ({
  endpoint: ENDPOINT,
  values: validateParameters(ENDPOINT, rawParameters({ city })),
  scope: '',
});
const ask = (ledger: UsageLedger, city: string, askedAt: number, bornAt = 0): void => {
  ledger.asked(keyOf(about(city)), about(city), askedAt, { bornAt, clickhouseMs: 1 });
};

const HOUR_MS = 3_600_000;
/** Later than anything that the ledger is told. */
const NOW = 1e13;
const citiesOf = (sets: readonly UsedSet[]): readonly unknown[] =>
  sets.map(({ question }) => question.values.get('city'));

describe('the ledger of use', () => {
  it('counts how often a set was asked for, and remembers when last', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000);
    ask(ledger, 'Rome', 3000);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ asks: 2, askedAt: 3000 }]);
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
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ asks: 2, weight: 1.5 }]);
  });

  it('puts declared sets first', () => {
    const ledger = new UsageLedger(10);
    ledger.declare(keyOf(about('Bonn')), about('Bonn'));
    ledger.declare(keyOf(about('Paris')), about('Paris'));
    ask(ledger, 'Rome', 1);
    expect(citiesOf(ledger.sets(ENDPOINT.id, NOW).toSorted(mostUsedFirst)).at(-1)).toBe('Rome');
  });

  it('adds the use that another gateway saw, as much as is left of it', () => {
    const [here, elsewhere] = [0, HOUR_MS].map((askedAt) => {
      const ledger = new UsageLedger(10);
      ask(ledger, 'Rome', askedAt);
      return ledger.sets(ENDPOINT.id, NOW)[0];
    }) as [UsedSet, UsedSet];
    expect(mergeUse(here, elsewhere)).toMatchObject({ asks: 2, weight: 1.5, askedAt: HOUR_MS });
    expect(mergeUse(elsewhere, here)).toMatchObject({ asks: 2, weight: 1.5, askedAt: HOUR_MS });
  });

  it('keeps the birth of the newest answer, in whatever order the answers come', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000, 900);
    ask(ledger, 'Rome', 1100, 500);
    expect(ledger.sets(ENDPOINT.id, NOW)).toMatchObject([{ bornAt: 900 }]);
  });

  it('remembers of each endpoint the sets that were asked for last', () => {
    const ledger = new UsageLedger(2);
    for (const city of ['Rome', 'Oslo', 'Rome', 'Paris']) ask(ledger, city, 1);
    const cities = ledger.sets(ENDPOINT.id, NOW).map(({ question }) => question.values.get('city'));
    expect(cities.toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('never forgets a declared set, however many others are asked for', () => {
    const ledger = new UsageLedger(1);
    ledger.declare(keyOf(about('Rome')), about('Rome'));
    for (const city of ['Oslo', 'Paris', 'Bonn']) ask(ledger, city, 1);
    ledger.forget(keyOf(about('Rome')));
    const declared = ledger.sets(ENDPOINT.id, NOW).find(({ key }) => key.hash === keyOf(about('Rome')).hash);
    expect(declared?.askedAt).toBe(Infinity);
  });

  it('knows nothing of endpoints that were not asked', () => {
    expect(new UsageLedger(1).sets(ENDPOINT.id, NOW)).toEqual([]);
  });
});
