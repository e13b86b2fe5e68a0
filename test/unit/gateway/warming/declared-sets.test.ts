import { UsageLedger } from '../../../../src/gateway/warming/usage-ledger.js';
import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { defineEndpoint } from '../../../../src/endpoint/endpoint.js';
import { sql, text, timestamp } from '../../../../src/endpoint/index.js';
import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { createSetDeclarer } from '../../../../src/gateway/warming/declared-sets.js';
import { SAMPLE } from '../../../support/sample-endpoint.js';
import { TestClock } from '../../../support/test-clock.js';

const STEP_MS = 300_000;

const endpointWith = (warm: Endpoint['warm']): Endpoint =>
  defineEndpoint({
    ...SAMPLE,
    parameters: {
      city: text({ description: 'A city.' }),
      since: timestamp({ description: 'From then on.', relativeStep: '5m', default: 'now-1h' }),
    },
    example: {},
    warm,
    build: ({ city, since }) => sql`SELECT ${city} AS city WHERE now() > ${since}`,
  });

/** The values of `since` that are in use, before and after the time has passed. */
function timesInUse(warm: Endpoint['warm'], ...passing: readonly number[]): readonly (readonly unknown[])[] {
  const clock = new TestClock();
  const ledger = new UsageLedger(10);
  const endpoint = endpointWith(warm);
  const declare = createSetDeclarer({
    endpoints: new EndpointRegistry([endpoint]),
    ledger,
    clock: clock.read,
    times: 'iso',
  });
  return [0, ...passing].map((milliseconds) => {
    clock.milliseconds += milliseconds;
    declare();
    return ledger.sets(endpoint.id, clock.milliseconds).map(({ query }) => query.values.get('since'));
  });
}

describe('the sets that endpoints declare', () => {
  it.each([
    ['a relative time', { since: 'now-1h' }],
    ['a relative default', { city: 'Rome' }],
  ])('follow the clock where they have %s', (_what, set) => {
    const [first, same, later] = timesInUse([set], 1, STEP_MS);
    expect(first).toHaveLength(1);
    expect(same).toEqual(first);
    expect(later).toHaveLength(1);
    expect(later).not.toEqual(first);
  });

  it('stay as they are where every time is absolute', () => {
    const [first, later] = timesInUse([{ since: '2026-05-17' }], 10 * STEP_MS);
    expect([first, later]).toEqual([['2026-05-17 00:00:00.000000'], ['2026-05-17 00:00:00.000000']]);
  });

  it('are warmed in the representation of a call that does not choose one', () => {
    const endpoint = defineEndpoint({ ...SAMPLE, warm: [{ city: 'Rome' }], numbers: 'text' });
    const ledger = new UsageLedger(10);
    const endpoints = new EndpointRegistry([endpoint]);
    createSetDeclarer({ endpoints, ledger, clock: () => new Date(), times: 'unix-micros' })();
    const [declared] = ledger.sets(endpoint.id, Date.now());
    expect(declared?.query.representation?.name).toBe('json;unix-micros;text-numbers');
  });
});
