import { keyOf, type Question } from '../../../src/execution/call.js';
import { validateParameters } from '../../../src/execution/validate-parameters.js';
import { UsageLedger } from '../../../src/warming/usage-ledger.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint();
const about = (city: string): Question => ({
  endpoint: ENDPOINT,
  values: validateParameters(ENDPOINT, rawParameters({ city })),
  scope: '',
});
const ask = (ledger: UsageLedger, city: string, askedAt: number, bornAt = 0): void => {
  ledger.asked(keyOf(about(city)), about(city), askedAt, bornAt);
};

describe('the ledger of use', () => {
  it('counts how often a set was asked for, and remembers when last', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000);
    ask(ledger, 'Rome', 3000);
    expect(ledger.sets(ENDPOINT.id)).toMatchObject([{ asks: 2, askedAt: 3000 }]);
  });

  it('keeps the birth of the newest answer, in whatever order the answers come', () => {
    const ledger = new UsageLedger(10);
    ask(ledger, 'Rome', 1000, 900);
    ask(ledger, 'Rome', 1100, 500);
    expect(ledger.sets(ENDPOINT.id)).toMatchObject([{ bornAt: 900 }]);
  });

  it('remembers of each endpoint the sets that were asked for last', () => {
    const ledger = new UsageLedger(2);
    for (const city of ['Rome', 'Oslo', 'Rome', 'Paris']) ask(ledger, city, 1);
    const cities = ledger.sets(ENDPOINT.id).map(({ question }) => question.values.get('city'));
    expect(cities.toSorted()).toEqual(['Paris', 'Rome']);
  });

  it('never forgets a declared set, however many others are asked for', () => {
    const ledger = new UsageLedger(1);
    ledger.declare(keyOf(about('Rome')), about('Rome'));
    for (const city of ['Oslo', 'Paris', 'Bonn']) ask(ledger, city, 1);
    ledger.forget(keyOf(about('Rome')));
    const declared = ledger.sets(ENDPOINT.id).find(({ key }) => key.hash === keyOf(about('Rome')).hash);
    expect(declared?.askedAt).toBe(Infinity);
  });

  it('knows nothing of endpoints that were not asked', () => {
    expect(new UsageLedger(1).sets(ENDPOINT.id)).toEqual([]);
  });
});
