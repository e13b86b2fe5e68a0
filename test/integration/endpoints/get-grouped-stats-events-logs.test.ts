import * as fc from 'fast-check';

import {
  EQUALITY_COLUMNS,
  GROUP_COLUMNS,
  groupedEvents,
  type CustomEvent,
  type EventsParameters,
} from '../../support/models/get-grouped-stats-events-logs.js';
import { clockAt, DAY, microsOf, printMicros } from '../../support/models/time.js';
import { settleAll } from '../../support/settle-all.js';
import {
  asSent,
  boundAround,
  fewOf,
  awkwardText,
  nullableText,
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MS,
  searchableText,
  timeAround,
  storage,
} from './arbitraries.js';
import { openEndpoint } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-02-29T00:00:00Z');
const TIMES = [MOMENT - DAY, MOMENT - 7n, MOMENT, MOMENT + 1_000n, MOMENT + DAY, MOMENT + 2n * DAY] as const;

const eventType = fc.oneof(
  fc.constantFrom('view', 'unique_view', 'click', 'unique_click', 'url_redirect'),
  awkwardText,
);

const anyOf = <Name extends string, Value>(
  names: readonly Name[],
  value: fc.Arbitrary<Value>,
): Record<Name, fc.Arbitrary<Value>> =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, fc.Arbitrary<Value>>;

const grouped = { ...anyOf(GROUP_COLUMNS, nullableText), event_type: fc.option(eventType) };
const ungrouped = { timestamp: timeAround(...TIMES), event_message: searchableText };

const event: fc.Arbitrary<CustomEvent> = fc.record({
  ...anyOf(EQUALITY_COLUMNS, nullableText),
  ...grouped,
  ...ungrouped,
});

/** Families of events: of one group, or of groups that differ in a single column. */
const events = fc
  .array(
    fc.tuple(
      event,
      fc.array(fc.tuple(fc.record(ungrouped), fewOf(grouped, 1)), { maxLength: 6, size: 'max' }),
    ),
    {
      maxLength: 12,
      size: 'max',
    },
  )
  .map((families) =>
    families.flatMap(([first, others]) => [
      first,
      ...others.map(([own, column]) => ({ ...first, ...own, ...column })),
    ]),
  );

const filters = fewOf(
  {
    ...anyOf(EQUALITY_COLUMNS, awkwardText),
    search_term: searchableText,
    event_ids: fc.array(awkwardText, { minLength: 1, maxLength: 4 }).map((ids) => ids.join()),
  },
  2,
);
const types = fc.record(
  { event_type: eventType, include_unique: fc.constantFrom('true', 'true', 'false', 'TRUE', '') },
  { requiredKeys: [] },
);
const bounds = fewOf({ start_time: boundAround(...TIMES), end_time: boundAround(...TIMES) }, 2);
const none = fc.constant({});
const parameters: fc.Arbitrary<EventsParameters> = fc
  .tuple(fc.oneof(none, filters), fc.oneof(none, types), bounds)
  .map(([some, others, range]) => ({ ...some, ...others, ...range }));

const TABLE = 'custom_events';

/** Beside the generated calls: each filter with values that differ in little. */
const VALUES = ['a', 'A', '', null, '%', '\\', '\\N'];
const TYPES = ['view', 'unique_view', 'click', 'unique_click', 'url_redirect', 'View', 'unique_', '', null];
const IDS = ['a', 'b', ' b', 'b ', '', null, "it's", '"', '\\', 'tab\t', 'line\n', '😀', '[a', '\\N'];
const TERMS = [
  ...'É e ж ς Σ οδος STRASSE Straße ԱԲԳ ა 𐐨 ｇ 日本 \u212a k ſ ﬁ fi بحث % _ a%b a_b axb \\ \\% \\n'.split(
    ' ',
  ),
  ...[
    '\n',
    '\t',
    '\r\n',
    "'",
    '"',
    "') OR 1=1 --",
    '.*',
    '[a]',
    '{term:String}',
    '@project',
    '😀',
    '👩‍👩‍👧',
    ' ',
    '\u00a0',
  ],
  ...['null', '\u0001', 'bc', ''],
];
const blank = {
  ...(Object.fromEntries([...EQUALITY_COLUMNS, ...GROUP_COLUMNS].map((name) => [name, null])) as Record<
    keyof Omit<CustomEvent, 'timestamp' | 'event_message'>,
    null
  >),
  timestamp: MOMENT,
  event_message: '',
};
const CLOSE_RECORDS: readonly CustomEvent[] = [
  ...EQUALITY_COLUMNS.flatMap((name) =>
    VALUES.map((value) => ({ ...blank, event_id: name, event_type: value, [name]: value })),
  ),
  ...TYPES.map((event_type) => ({ ...blank, event_type })),
  ...IDS.map((event_id) => ({ ...blank, event_id })),
  ...TERMS.flatMap((term) => [term, term.toUpperCase(), term.toLowerCase(), `x${term}\0y`]).map(
    (event_message) => ({ ...blank, event_id: event_message, event_message }),
  ),
];
const CLOSE_CALLS: readonly EventsParameters[] = [
  ...EQUALITY_COLUMNS.flatMap((name) =>
    VALUES.flatMap((value) => (value === null ? [] : [{ [name]: value }])),
  ),
  ...[...TYPES, 'scroll'].flatMap((event_type) =>
    event_type === null
      ? [{ include_unique: 'true' }]
      : ['true', 'false', 'TRUE', ' true', ''].map((include_unique) => ({ event_type, include_unique })),
  ),
  ...['a', 'a,b', 'b,a,b', 'a, b', 'b ,zzz', 'a,,b', ',', 'a,', '', 'A', IDS.join()].map((event_ids) => ({
    event_ids,
  })),
  ...TERMS.map((search_term) => ({ search_term })),
  { search_term: 'É', event_ids: 'é' },
];

/** All columns of a custom event, except its message. */
const FILLED = {
  timestamp: '2096-02-29T23:59:59.999999Z',
  level: 'info',
  user_id: 'u1',
  profile_id: 'p1',
  view_id: 'v1',
  event_type: 'view',
  event_target: 'button',
  event_id: 'e1',
  event_name: 'opened',
  referrer: 'https://example.org/',
  city: 'Köln',
  country: 'DE',
  device: 'phone',
  language: 'de',
  utm_params: '{"utm_source":"newsletter"}',
};

const endpoint = openForAll(() => openEndpoint('get-grouped-stats-events-logs', clockAt(MOMENT)));

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.array(parameters, { minLength: 1, maxLength: 16, size: 'max' }),
        storage,
        async (records, calls, parts) => {
          await endpoint.fill(
            TABLE,
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
            parts,
          );
          await settleAll(calls, async (call) => {
            expect(await endpoint.rows(asSent(call))).toEqual(groupedEvents(records, call));
          });
        },
      ),
      {
        numRuns: PROPERTY_RUNS,
        examples: [[[...CLOSE_RECORDS], [...CLOSE_CALLS], { inserts: 1, merged: false }]],
      },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

it('returns a row for each combination of the day and nine columns, with its hits', async () => {
  const { timestamp, ...rest } = FILLED;
  await endpoint.fill(TABLE, [
    { ...FILLED, event_message: 'a' },
    { ...rest, timestamp: '2096-02-29T00:00:00.000000Z', level: 'error', user_id: 'u2', view_id: null },
    { ...rest, timestamp: '2096-03-01T00:00:00.000000Z' },
  ]);
  const { text } = await endpoint.run({});
  const row = (day: string, hits: number): string =>
    `{"group_time":"${day}T00:00:00Z","event_id":"e1","event_name":"opened","city":"Köln","country":"DE",` +
    '"device":"phone","language":"de","referrer":"https://example.org/","event_type":"view",' +
    `"utm_params":"{\\"utm_source\\":\\"newsletter\\"}","total_hits":${hits}}`;
  expect(text).toBe(`{"result":[${row('2096-02-29', 2)},\n${row('2096-03-01', 1)}]}`);
  expect(timestamp.slice(0, 10)).toBe('2096-02-29');
});

it('returns the first 1000 groups of more, and reports the truncation', async () => {
  const ids = Array.from({ length: 1001 }, (_, index) => String(9000 - index));
  await endpoint.fill(
    TABLE,
    ids.map((event_id) => ({ ...FILLED, event_id })),
  );
  const { rows, truncated } = await endpoint.run({});
  expect(rows.map((row) => row['event_id'])).toEqual([...ids].sort().slice(0, 1000));
  expect(truncated).toBe(true);
  expect(await endpoint.run({ event_name: FILLED.event_name, event_ids: ids.slice(1).join() })).toMatchObject(
    {
      rowCount: 1000,
      truncated: false,
    },
  );
});

describe('invalid UTF-8', () => {
  beforeAll(async () => {
    await endpoint.fill(TABLE, []);
    await endpoint.database.client.command({
      query: `
        INSERT INTO ${TABLE} (timestamp, event_message, event_id, event_name, city, event_type, utm_params)
        SELECT '2096-02-29', unhex('C3284AFF'), unhex('61FF'), unhex('C3'), unhex('F09F98'), unhex('80'), unhex('FE')`,
    });
  });

  it('in any column still yields a body of valid UTF-8', async () => {
    expect(await endpoint.rows({})).toMatchObject([{ event_id: 'a\ufffd', event_name: '\ufffd' }]);
  });

  it('in a message does not prevent a search from matching the text around it', async () => {
    expect(await endpoint.rows({ search_term: '(j' })).toHaveLength(1);
    expect(await endpoint.rows({ search_term: '(k' })).toEqual([]);
  });
});
