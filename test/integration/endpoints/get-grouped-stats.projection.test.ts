import * as fc from 'fast-check';

import { GROUP_COLUMNS } from '../../support/models/get-grouped-stats-events-logs.js';
import { clockAt, DAY, microsOf, printMicros } from '../../support/models/time.js';
import { awkwardText, nullableText, timeAround, PROPERTY_RUNS } from './arbitraries.js';
import { openBesideRecords, type Call, type EndpointBesideRecords } from './beside-records.js';
import type { Row } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-02-29T00:00:00Z');
const NOW = clockAt(MOMENT);

/** Bounds on both sides of midnights, within days, and at the limits of the time type. */
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
const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('', 'a', 'ab') }, awkwardText);
const someOf = (fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(fc.record(fields), fc.subarray(Object.keys(fields), { maxLength: 2 }))
    .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name] ?? ''])));
const within = fc
  .tuple(fc.record(bounds), fc.subarray(['start_time', 'end_time'] as const))
  .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]])));
const calls = (fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Call> =>
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
    projection: 'event_days',
    groups: GROUP_COLUMNS,
    calls: calls({
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
    projection: 'redirect_days',
    groups: ['event_name', 'country', 'device', 'language', 'referrer', 'utm_params'],
    calls: calls({
      ...Object.fromEntries(
        ['event_name', 'country', 'device', 'language', 'referrer'].map((name) => [name, text]),
      ),
      utm_key: fc.constantFrom('a', 'b'),
      utm_value: fc.constantFrom('x', '1', 'true', 'null'),
    }),
  },
];

/** Prints a bound, in nanoseconds, as ClickHouse prints times. */
function printNanos(bound: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(bound) ?? [];
  const seconds = new Date(bound.replace(/\.\d+/, '')).toISOString().slice(0, 19).replace('T', ' ');
  return `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** A WHERE condition in plain SQL for each parameter. */
const TERMS: Readonly<Record<string, string>> = {
  start_time: "toString(log.timestamp) || '000' >= {start_time:String}",
  end_time: "toString(log.timestamp) || '000' <= {end_time:String}",
  event_ids: "event_id IN splitByChar(',', {event_ids:String})",
  search_term: 'positionCaseInsensitiveUTF8(event_message, {search_term:String}) > 0',
};
const JSON_VALUE = `
  JSONType(ifNull(utm_params, '')) = 'Object'
  AND JSONType(ifNull(utm_params, ''), {utm_key:String}) IN ('String', 'Bool', 'Int64', 'UInt64', 'Double')
  AND trimBoth(JSONExtractRaw(ifNull(utm_params, ''), {utm_key:String}), '"') = {utm_value:String}`;

function termsOf(parameters: Readonly<Record<string, string>>): readonly string[] {
  const { event_type, include_unique, utm_key, utm_value, ...others } = parameters;
  // `event_id` is not a parameter: unknown names are ignored.
  const names = Object.keys(others).filter((name) => name !== 'event_id');
  const terms = names.map((name) => TERMS[name] ?? `${name} = {${name}:String}`);
  const both = include_unique === 'true' && (event_type === 'view' || event_type === 'click');
  if (both) terms.push("event_type IN ({event_type:String}, 'unique_' || {event_type:String})");
  else if (event_type !== undefined) terms.push('event_type = {event_type:String}');
  if (utm_key !== undefined && utm_value !== undefined) terms.push(JSON_VALUE);
  return terms;
}

describe.each(CASES)('$name', ({ name, projection, groups, calls }) => {
  let endpoint: EndpointBesideRecords;
  beforeAll(async () => {
    endpoint = await openBesideRecords(name, 'custom_events');
  });
  afterAll(() => endpoint.close());

  /** The rows of a plain query of the records, without the row cap. */
  const groupRecords = ({ parameters }: Call): Promise<readonly Row[]> => {
    const redirects = projection === 'redirect_days' ? ["event_type = 'url_redirect'"] : [];
    return endpoint.query(
      `SELECT
         toDateTime64(toDate32(log.timestamp), 0, 'UTC') AS group_time, ${groups.join(', ')},
         toUInt32(count()) AS total_hits
       FROM custom_events AS log
       WHERE ${['true', ...redirects, ...termsOf(parameters)].join(' AND ')}
       GROUP BY group_time, ${groups.join(', ')}
       ORDER BY group_time, ${groups.map((group) => `${group} ASC NULLS FIRST`).join(', ')}`,
      {
        ...parameters,
        start_time: printNanos(parameters['start_time'] ?? '1900-01-01'),
        end_time: printNanos(parameters['end_time'] ?? '1900-01-01'),
      },
    );
  };
  const expectSame = async (call: Call): Promise<void> => {
    const { cap = 1000 } = call;
    const expected = await groupRecords(call);
    expect(await endpoint.call(call)).toEqual({
      rows: expected.slice(0, cap),
      truncated: expected.length > cap,
    });
  };

  it('groups as a plain query of the records does, for any records, inserts, merges and parameters', async () => {
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.boolean(),
        fc.array(calls, { minLength: 1, maxLength: 16, size: 'max' }),
        async (inserts, merged, each) => {
          await endpoint.fill(inserts, merged);
          await Promise.all(each.map(expectSame));
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  }, 120_000);

  describe('on 60,000 records of three days', () => {
    beforeAll(async () => {
      await endpoint.fill([]);
      await endpoint.database.client.command({
        query: `
          INSERT INTO custom_events (timestamp, event_id, event_type, event_name, country)
          SELECT
            toDateTime64('2096-02-27 06:00:00', 6, 'UTC') + INTERVAL (intDiv(number, 4) % 4) * 6 HOUR
              + INTERVAL if(number % 7 = 0, 1, 0) DAY,
            toString(number % 100), if(number % 4 = 0, 'url_redirect', 'view'), toString(cityHash64(number % 500)),
            ['DE', 'IT', NULL][1 + number % 3]
          FROM numbers(60000)`,
      });
    });

    // Both daily projections have the columns for redirects; for few records ClickHouse may use the wider one.
    const DAYS = expect.stringMatching(/^(?:event|redirect)_days$/) as unknown;

    it.each([
      [{}, [DAYS]],
      [{ country: 'DE' }, [DAYS]],
      [{ start_time: '2096-02-28' }, [DAYS]],
      [{ start_time: '2096-02-28', end_time: '2096-02-28T23:59:59.999999Z' }, [DAYS]],
      [{ start_time: '2096-02-28T00:00:00.000001Z' }, ['custom_events', DAYS]],
      [{ end_time: '2096-02-28' }, ['custom_events', DAYS]],
    ])('reads complete days from a projection for %j', async (parameters, expected) => {
      expect(await endpoint.sources({ parameters, now: NOW })).toEqual(expected);
    });

    it.each([
      {},
      { start_time: '2096-02-27T06:00:00.000001Z' },
      { end_time: '2096-02-28T05:00:00Z' },
      { start_time: '2096-02-27T06:00:00.000001Z', end_time: '2096-02-28T17:00:00Z' },
      { country: 'DE', start_time: '2096-02-28' },
    ])('returns the first groups for %j, and reports that there are more', async (parameters) => {
      for (const cap of [1000, 7, 100_000]) await expectSame({ parameters, now: NOW, cap });
    });
  });
});

describe('get-grouped-stats-events-logs', () => {
  let endpoint: EndpointBesideRecords;
  beforeAll(async () => {
    endpoint = await openBesideRecords('get-grouped-stats-events-logs', 'custom_events');
    await endpoint.fill([[{ event_type: 'view' }]]);
  });
  afterAll(() => endpoint.close());

  it.each(['level', 'search_term', 'user_id', 'profile_id', 'view_id', 'event_target'])(
    'reads the records for a %s, a column that the projection lacks',
    async (name) => {
      const call = { parameters: { [name]: '' }, now: NOW };
      expect(await endpoint.sources(call)).toEqual(['custom_events']);
    },
  );
});
