import * as fc from 'fast-check';

import { clockAt, DAY, microsOf, printMicros } from '../../support/models/time.js';
import { nastyText, nullableText, timeAround } from './arbitraries.js';
import { insertBatches, openBothWays, type BothWays, type Question } from './both-ways.js';

const MOMENT = microsOf('2096-02-29T00:00:00Z');
const NOW = clockAt(MOMENT);

/** Bounds at both sides of midnights, inside days, and where time itself ends. */
const BOUNDS = [
  '2096-02-27T00:00:00Z',
  '2096-02-27T23:59:59.999999Z',
  '2096-02-28T00:00:00Z',
  '2096-02-28T00:00:00.000001Z',
  '2096-02-28T11:30:00Z',
  '2096-02-28T23:59:59.999998Z',
  '2096-02-28T23:59:59.999999Z',
  '2096-02-28T23:59:59.9999991Z',
  '2096-02-29T00:00:00Z',
  '2096-02-29',
  '2096-03-01T00:00:00+02:00',
  '2096-03-01T23:59:59.999999Z',
  '2096-03-02T12:00:00Z',
  '1900-01-01T00:00:00Z',
  '1900-01-01T00:00:00.000001Z',
  '2299-12-31T23:59:59.999999Z',
  '2299-12-31T23:59:59.999998Z',
];

const column = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(null, '', 'a', 'ab') }, nullableText);
const eventType = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('view', 'unique_view', 'click', 'unique_click', 'url_redirect') },
  column,
);
const GROUP = ['event_id', 'event_name', 'city', 'country', 'device', 'language', 'referrer'];
const UTM = [null, '', '{}', '{"a":"x"}', '{"a":1}', '{"a":null}', 'no json', '{"a":true,"b":"x"}'];

const times = fc.oneof(
  {
    weight: 4,
    arbitrary: timeAround(MOMENT - 2n * DAY, MOMENT - DAY, MOMENT, MOMENT + DAY, MOMENT + 2n * DAY),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(microsOf('2299-12-31T23:59:59.999999Z'), microsOf('2200-01-01T00:00:00Z')),
  },
);
const event = fc
  .record({
    timestamp: times,
    level: fc.constantFrom(null, 'info'),
    event_message: fc.constantFrom('a', 'B'),
    user_id: fc.constantFrom(null, 'u'),
    profile_id: fc.constantFrom(null, 'u'),
    view_id: fc.constantFrom(null, 'u'),
    event_target: fc.constantFrom(null, 'u'),
    event_type: eventType,
    utm_params: fc.constantFrom(...UTM),
    ...Object.fromEntries(GROUP.map((name) => [name, column])),
  })
  .map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) }));

/** Inserts in any order, each over several days, some rows twice. */
const batches = fc
  .array(fc.array(event, { maxLength: 30, size: 'max' }), { minLength: 1, maxLength: 4, size: 'max' })
  .chain((lists) => fc.subarray(lists).map((again) => [...lists, ...again]));

const bounds = { start_time: fc.constantFrom(...BOUNDS), end_time: fc.constantFrom(...BOUNDS) };
const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('', 'a', 'ab') }, nastyText);
const someOf = (fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(fc.record(fields), fc.subarray(Object.keys(fields), { maxLength: 2 }))
    .map(([all, kept]) => Object.fromEntries(kept.map((name) => [name, all[name] ?? ''])));
const within = fc
  .tuple(fc.record(bounds), fc.subarray(['start_time', 'end_time'] as const))
  .map(([all, kept]) => Object.fromEntries(kept.map((name) => [name, all[name]])));
const asked = (fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Question> =>
  fc.record({
    parameters: fc
      .tuple(
        fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: someOf(fields) }),
        within,
      )
      .map(([some, range]) => ({ ...some, ...range })),
    now: fc.constant(NOW),
    cap: fc.constantFrom(1000, 1000, 1, 3),
  });

const CASES = [
  {
    name: 'get-grouped-stats-events-logs',
    rollup: 'custom_event_days',
    question: asked({
      ...Object.fromEntries(GROUP.map((name) => [name, text])),
      event_type: fc.constantFrom('view', 'click', 'url_redirect', 'a', ''),
      include_unique: fc.constantFrom('true', 'false'),
      event_ids: fc.constantFrom('a', 'a,ab', ',', 'a,,ab', "'"),
      utm_params: fc.constantFrom('', '{}', '{"a":"x"}'),
      search_term: fc.constantFrom('a', 'b'),
      user_id: fc.constant('u'),
    }),
  },
  {
    name: 'get-grouped-stats-redirects',
    rollup: 'redirect_days',
    question: asked({
      ...Object.fromEntries(
        ['event_name', 'country', 'device', 'language', 'referrer'].map((name) => [name, text]),
      ),
      utm_key: fc.constantFrom('a', 'b'),
      utm_value: fc.constantFrom('x', '1', 'true', 'null'),
    }),
  },
];

describe.each(CASES)('$name', ({ name, rollup, question }) => {
  let endpoint: BothWays;
  beforeAll(async () => {
    endpoint = await openBothWays(name, 'custom_events');
  });
  afterAll(() => endpoint.close());

  const expectSame = async (asked: Question): Promise<void> => {
    expect(await endpoint.ask('rolled up', asked)).toEqual(await endpoint.ask('raw', asked));
  };

  it('answers the same both ways, on any records, for any parameters', async () => {
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.boolean(),
        fc.array(question, { minLength: 1, maxLength: 16, size: 'max' }),
        async (inserts, merged, calls) => {
          await endpoint.clear();
          await insertBatches(endpoint.database, 'custom_events', inserts);
          if (merged) await endpoint.merge();
          await Promise.all(calls.map(expectSame));
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each([
    [{}, [rollup]],
    [{ country: 'DE' }, [rollup]],
    [{ start_time: '2096-02-28' }, [rollup]],
    [{ start_time: '2096-02-28', end_time: '2096-02-28T23:59:59.999999Z' }, [rollup]],
    [{ start_time: '2096-02-28T00:00:00.000001Z' }, ['custom_events', rollup]],
    [{ end_time: '2096-02-28' }, ['custom_events', rollup]],
  ])('for %j reads %j', async (parameters, expected) => {
    expect(await endpoint.tablesRead('rolled up', { parameters, now: NOW })).toEqual([...expected].sort());
    expect(await endpoint.tablesRead('raw', { parameters, now: NOW })).toEqual(['custom_events']);
  });

  it('answers the same first 1,000 groups of a day and of several, and says that there are more', async () => {
    await endpoint.clear();
    await endpoint.database.client.command({
      query: `
        INSERT INTO custom_events (timestamp, event_type, event_name, country)
        SELECT
          toDateTime64('2096-02-27 06:00:00', 6, 'UTC') + INTERVAL (number % 4) * 6 HOUR
            + INTERVAL if(number % 7 = 0, 1, 0) DAY,
          'url_redirect', toString(cityHash64(number % 5000)), ['DE', 'IT', NULL][1 + number % 3]
        FROM numbers(20000)`,
    });
    const ranges = [
      {},
      { start_time: '2096-02-27T06:00:00.000001Z' },
      { end_time: '2096-02-28T05:00:00Z' },
      { start_time: '2096-02-27T06:00:00.000001Z', end_time: '2096-02-28T17:00:00Z' },
      { country: 'DE', start_time: '2096-02-28' },
    ];
    for (const parameters of ranges) {
      for (const cap of [1000, 7]) {
        const rolledUp = await endpoint.ask('rolled up', { parameters, now: NOW, cap });
        expect(rolledUp).toEqual(await endpoint.ask('raw', { parameters, now: NOW, cap }));
        expect(rolledUp.truncated).toBe(true);
        expect(rolledUp.rows).toHaveLength(cap);
      }
    }
    const all = { parameters: {}, now: NOW, cap: 100_000 };
    const whole = await endpoint.ask('rolled up', all);
    expect(whole).toEqual(await endpoint.ask('raw', all));
    expect(whole.rows.reduce((sum, { total_hits }) => sum + Number(total_hits), 0)).toBe(20_000);
  });
});

describe('get-grouped-stats-events-logs', () => {
  let endpoint: BothWays;
  beforeAll(async () => {
    endpoint = await openBothWays('get-grouped-stats-events-logs', 'custom_events');
  });
  afterAll(() => endpoint.close());

  it.each(['level', 'search_term', 'user_id', 'profile_id', 'view_id', 'event_target'])(
    'reads the records where it is asked for a %s, which the rollup does not have',
    async (name) => {
      const question = { parameters: { [name]: '' }, now: NOW };
      expect(await endpoint.tablesRead('rolled up', question)).toEqual(['custom_events']);
    },
  );
});
