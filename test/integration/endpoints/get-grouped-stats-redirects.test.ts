import * as fc from 'fast-check';

import {
  groupedRedirects,
  type RedirectEvent,
  type RedirectsParameters,
} from '../../support/models/get-grouped-stats-redirects.js';
import { scalarTexts } from '../../support/models/scalar-texts.js';
import { clockAt, DAY, printMicros } from '../../support/models/time.js';
import { settleAll } from '../../support/settle-all.js';
import {
  asSent,
  boundAround,
  fewOf,
  awkwardText,
  nullableText,
  timeAround,
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MS,
  storage,
} from './arbitraries.js';
import { CLOSE_CALLS, CLOSE_RECORDS, MOMENT } from './close-redirects.js';
import { openEndpoint } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const TIMES = [MOMENT - DAY, MOMENT - 7n, MOMENT, MOMENT + 1_000n, MOMENT + DAY, MOMENT + 2n * DAY] as const;

const NUMBERS = [
  ...'0 -0 1 42 -7 1e3 1E5 1.50 -0.0 0.1 1e-7 0.000001 3.0 1e21 123e20 9007199254740993'.split(' '),
  ...'9223372036854775807 -9223372036854775808 18446744073709551615 18446744073709551616'.split(' '),
  ...'-9223372036854775809 123456789012345678901234567890 1e308 1e400 5e-324 100000000000000000000.0'.split(
    ' ',
  ),
  ...'12345678901234567890.0 123456789.123456789'.split(' '),
];
const KEYS = ['', 'utm_source', 'a', 'A', 'é', '0', '-1', 'a.b', '$', '"', '\\', '\n', 's'];

const key = fc.oneof(fc.constantFrom(...KEYS), awkwardText);
const space = fc.constantFrom('', '', '', ' ', '\n\t');

/** The JSON text of a string, with all or none of its characters as \\u escapes. */
const stringToken = fc
  .tuple(awkwardText, fc.boolean())
  .map(([text, escaped]) =>
    escaped
      ? `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(text),
  );
const token = fc.oneof(
  { weight: 3, arbitrary: stringToken },
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.constantFrom(...NUMBERS),
      fc.double({ noNaN: true }).map((n) => JSON.stringify(n)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('true', 'false', 'null', '[]', '{}', '["a"]', '{"a":"a"}', '[1e400]'),
  },
  { weight: 1, arbitrary: fc.json() },
);
const objectText = fc
  .tuple(fc.uniqueArray(fc.tuple(key, token, space), { selector: ([name]) => name, maxLength: 4 }), space)
  .map(
    ([members, gap]) =>
      `${gap}{${members.map(([name, value, pad]) => `${pad}${JSON.stringify(name)}${pad}:${value}`).join()}}${gap}`,
  );
const utmParams = fc.oneof(
  { weight: 6, arbitrary: objectText },
  { weight: 1, arbitrary: nullableText },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: objectText.map((text) => text.slice(0, -1)) },
  {
    weight: 1,
    arbitrary: fc.tuple(objectText, fc.constantFrom('x', ',', '{}', '\\')).map((texts) => texts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"s":"\\ud83d"}',
      '{"s":"\\ude00\\ud83d"}',
      '{"s":tru}',
      '{"s":01}',
      "{'s':1}",
    ),
  },
);

/** Parameter values for a value: as it is written, and other notations that match or do not match. */
const utmValue = fc.oneof(
  awkwardText,
  fc.constantFrom(
    'true',
    'false',
    'null',
    '',
    '[]',
    '{}',
    '["a"]',
    '1000',
    '100000',
    '1.5',
    '3',
    '1e21',
    '1.23e22',
  ),
  fc.constantFrom(...NUMBERS),
);

const grouped = {
  event_name: nullableText,
  country: nullableText,
  device: nullableText,
  language: nullableText,
  referrer: nullableText,
  utm_params: utmParams,
};
const ungrouped = {
  timestamp: timeAround(...TIMES),
  event_type: fc.constantFrom(
    ...Array.from({ length: 9 }, () => 'url_redirect'),
    ...['view', '', 'URL_REDIRECT', null],
  ),
};

/** Families of records: of one group, or of groups that differ in a single column. */
const records = fc
  .array(
    fc.tuple(
      fc.record({ ...grouped, ...ungrouped }),
      fc.array(fc.tuple(fc.record(ungrouped), fewOf(grouped, 1)), { maxLength: 5, size: 'max' }),
    ),
    { maxLength: 12, size: 'max' },
  )
  .map((families) =>
    families.flatMap(([first, others]) => [
      first,
      ...others.map(([own, column]) => ({ ...first, ...own, ...column })),
    ]),
  );

const equal = { event_name: awkwardText, country: awkwardText, device: awkwardText };
const bounds = fewOf({ start_time: boundAround(...TIMES), end_time: boundAround(...TIMES) }, 2);
const parameters: fc.Arbitrary<RedirectsParameters> = fc
  .tuple(
    fc.oneof(
      fc.record({ utm_key: key, utm_value: utmValue }, { requiredKeys: [] }),
      fewOf({ ...equal, language: awkwardText, referrer: awkwardText }, 1),
    ),
    bounds,
  )
  .map(([some, range]) => ({ ...some, ...range }));

/** Uses values of some records' utm_params as parameters, so that many records match. */
const callsOf = (records: readonly RedirectEvent[]): readonly RedirectsParameters[] =>
  records
    .flatMap(({ utm_params }) => [...scalarTexts(utm_params)])
    .filter((pair) => !pair.join('').includes('\0'))
    .slice(0, 8)
    .map(([utm_key, utm_value]) => ({ utm_key, utm_value }));

const TABLE = 'custom_events';

const FILLED = {
  timestamp: '2096-02-29T23:59:59.999999Z',
  event_type: 'url_redirect',
  event_name: 'spring',
  country: 'DE',
  device: 'phone',
  language: 'de',
  referrer: 'https://example.org/',
  utm_params: '{"utm_source":"newsletter"}',
};

const endpoint = openForAll(() => openEndpoint('get-grouped-stats-redirects', clockAt(MOMENT)));

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.array(parameters, { minLength: 1, maxLength: 16, size: 'max' }),
        storage,
        async (stored, calls, parts) => {
          await endpoint.fill(
            TABLE,
            stored.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
            parts,
          );
          await settleAll([...calls, ...callsOf(stored)], async (call) => {
            expect(await endpoint.rows(asSent(call))).toEqual(groupedRedirects(stored, call));
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

it('returns a row for each combination of the day and six columns, with its hits', async () => {
  await endpoint.fill(TABLE, [
    FILLED,
    { ...FILLED, timestamp: '2096-02-29T00:00:00.000000Z', event_id: 'x', city: 'Köln', user_id: 'u' },
    { ...FILLED, timestamp: '2096-03-01T00:00:00.000000Z' },
  ]);
  const row = (day: string, hits: number): string =>
    `{"group_time":"${day}T00:00:00Z","event_name":"spring","country":"DE","device":"phone","language":"de",` +
    `"referrer":"https://example.org/","utm_params":"{\\"utm_source\\":\\"newsletter\\"}","total_hits":${hits}}`;
  const { text } = await endpoint.run({});
  expect(text).toBe(`{"result":[${row('2096-02-29', 2)},\n${row('2096-03-01', 1)}]}`);
});

it('returns the first 1000 groups of more, and reports the truncation', async () => {
  const names = Array.from({ length: 1001 }, (_, index) => String(9000 - index));
  await endpoint.fill(
    TABLE,
    names.map((event_name) => ({ ...FILLED, event_name })),
  );
  const { rows, truncated } = await endpoint.run({});
  expect(rows.map((row) => row['event_name'])).toEqual([...names].sort().slice(0, 1000));
  expect(truncated).toBe(true);
});

it('a utm_key and utm_value neither match nor fail on invalid UTF-8, and the body stays valid', async () => {
  await endpoint.fill(TABLE, []);
  await endpoint.database.client.command({
    query: `
      INSERT INTO ${TABLE} (timestamp, event_type, event_name, country, utm_params)
      SELECT '2096-02-29', 'url_redirect', unhex('FF'), unhex('C328'), concat('{"s":"', unhex('FF'), '"}')`,
  });
  expect(await endpoint.rows({ utm_key: 's', utm_value: '\ufffd' })).toEqual([]);
  expect(await endpoint.rows({})).toMatchObject([{ event_name: '\ufffd', utm_params: '{"s":"\ufffd"}' }]);
});
