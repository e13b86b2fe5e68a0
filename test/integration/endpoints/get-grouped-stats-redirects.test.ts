import { clockAt, microsOf } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

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

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('get-grouped-stats-redirects', clockAt(microsOf('2096-03-01T12:00:00Z')));
});
afterAll(() => endpoint.close());

const column = (rows: readonly Row[], name: string): readonly unknown[] => rows.map((row) => row[name]);

describe('groups', () => {
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

  it('counts only url_redirect events', async () => {
    const types = ['url_redirect', 'view', 'URL_REDIRECT', 'url_redirect ', 'unique_url_redirect', '', null];
    await endpoint.fill(
      TABLE,
      types.map((event_type) => ({ ...FILLED, event_type })),
    );
    expect(await endpoint.rows({})).toMatchObject([{ total_hits: 1 }]);
  });

  it.each(['event_name', 'country', 'device', 'language', 'referrer', 'utm_params'])(
    'distinguishes null and the empty string of %s, null first, texts by their bytes',
    async (name) => {
      const values = ['é', 'a', null, 'B', '', 'a ', null, '😀', '\uffee', '\\N', 'null'];
      await endpoint.fill(
        TABLE,
        values.map((value) => ({ ...FILLED, [name]: value })),
      );
      const rows = await endpoint.rows({});
      expect(rows.map((row) => [row[name], row['total_hits']])).toEqual([
        [null, 2],
        ...['', 'B', '\\N', 'a', 'a ', 'null', 'é', '\uffee', '😀'].map((value) => [value, 1]),
      ]);
    },
  );

  it('orders by day, then event_name, then the other columns in the order of the result', async () => {
    await endpoint.fill(TABLE, [
      { ...FILLED, timestamp: '2096-03-01', event_name: 'a' },
      { ...FILLED, event_name: 'b', country: 'A' },
      { ...FILLED, event_name: 'a', country: 'B', device: 'a', utm_params: null },
      { ...FILLED, event_name: 'a', country: 'B', device: 'a', utm_params: '' },
      { ...FILLED, event_name: 'a', country: 'B', device: null, language: 'z' },
      { ...FILLED, event_name: 'a', country: 'A', device: 'z', referrer: null },
      { ...FILLED, event_name: null, country: 'Z' },
    ]);
    const rows = await endpoint.rows({});
    expect(rows.map((row) => [row['event_name'], row['country'], row['device'], row['utm_params']])).toEqual([
      [null, 'Z', 'phone', FILLED.utm_params],
      ['a', 'A', 'z', FILLED.utm_params],
      ['a', 'B', null, FILLED.utm_params],
      ['a', 'B', 'a', null],
      ['a', 'B', 'a', ''],
      ['b', 'A', 'phone', FILLED.utm_params],
      ['a', 'DE', 'phone', FILLED.utm_params],
    ]);
  });

  it('returns the first 1000 groups of more, and reports the truncation', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => String(9000 - index));
    await endpoint.fill(
      TABLE,
      names.map((event_name) => ({ ...FILLED, event_name })),
    );
    const { rows, truncated } = await endpoint.run({});
    expect(column(rows, 'event_name')).toEqual([...names].sort().slice(0, 1000));
    expect(truncated).toBe(true);
  });
});

describe.each(['event_name', 'country', 'device', 'language', 'referrer'])('%s', (name) => {
  // The arbitraries of get-grouped-stats-redirects.property.test.ts cover other texts.
  const VALUES = ['a', 'A', '', null, '%', '\\', '\\N'];

  beforeAll(() =>
    endpoint.fill(
      TABLE,
      VALUES.map((value, index) => ({ ...FILLED, utm_params: String(index), [name]: value })),
    ),
  );

  it.concurrent.each(
    VALUES.flatMap((value, index) => (value === null ? [] : [[value, String(index)] as const])),
  )('finds exactly %j, never null', async (value, index) => {
    expect(column(await endpoint.rows({ [name]: value }), 'utm_params')).toEqual([index]);
  });
});

describe('utm_key and utm_value', () => {
  const LINES = [
    '{"s":"newsletter","b":true,"i":42,"n":null,"a":["newsletter"],"o":{"s":"newsletter"}}',
    '{"s":"","b":false,"i":-0,"":"empty key"}',
    '{"s":"42","b":"true","i":"42"}',
    '{"s":"null","n":"null","a":"[1]","o":"{}"}',
    '{"s":"Newsletter","i":1e3}',
    '{"s":"it\'s \\"q\\" \\\\ \\t \\n é \\u00e9 \\ud83d\\ude00","i":1.50}',
    '{"s": "newsletter" , "i" : 18446744073709551615 }',
    '{"\\u0073":"newsletter","i":9007199254740993,"é\\n":"key"}',
    '{"S":"newsletter","i":1E5}',
    '["newsletter"]',
    '"newsletter"',
    '{"s":"newsletter"',
    '{"s":"newsletter"} x',
    'newsletter',
    'null',
    '',
    null,
    '{}',
    '{"0":"zero","s.t":"dotted","-1":"minus one"}',
  ];

  beforeAll(() =>
    endpoint.fill(
      TABLE,
      LINES.map((utm_params, index) => ({ ...FILLED, event_name: String(index), utm_params })),
    ),
  );

  const found = async (parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
    column(await endpoint.rows(parameters), 'event_name')
      .map(Number)
      .sort((a, b) => a - b);

  it.each([
    ['a string, without its quotes', 's', 'newsletter', [0, 6, 7]],
    ['a string in the same letter case', 's', 'Newsletter', [4]],
    ['no string with its quotes', 's', '"newsletter"', []],
    ['an empty string', 's', '', [1]],
    ['a string that looks like a number', 's', '42', [2]],
    ['a string that says null', 's', 'null', [3]],
    ['a string with its escapes decoded', 's', 'it\'s "q" \\ \t \n é é 😀', [5]],
    ['a boolean as written', 'b', 'true', [0, 2]],
    ['a boolean as written, false as well', 'b', 'false', [1]],
    ['no boolean written otherwise', 'b', 'TRUE', []],
    ['no boolean as a number', 'b', '1', []],
    ['an integer', 'i', '42', [0, 2]],
    ['no integer with a fraction', 'i', '42.0', []],
    ['minus zero in its shortest form', 'i', '0', [1]],
    ['a number with an exponent in its shortest form', 'i', '1000', [4]],
    ['no number as it is written', 'i', '1e3', []],
    ['a fraction in its shortest form', 'i', '1.5', [5]],
    ['the greatest integer of 64 bits', 'i', '18446744073709551615', [6]],
    ['an integer beyond the precision of a double', 'i', '9007199254740993', [7]],
    ['a capital E', 'i', '100000', [8]],
    ['no null', 'n', 'null', [3]],
    ['no null as the empty text', 'n', '', []],
    ['no array', 'a', '["newsletter"]', []],
    ['no object', 'o', '{"s":"newsletter"}', []],
    ['a string that looks like an array', 'a', '[1]', [3]],
    ['a key in the same letter case', 'S', 'newsletter', [8]],
    ['the empty key', '', 'empty key', [1]],
    ['a key with its escapes decoded', 'é\n', 'key', [7]],
    ['a key that looks like an index', '0', 'zero', [18]],
    ['a key that looks like an index from the end', '-1', 'minus one', [18]],
    ['a key with a dot, which is no path', 's.t', 'dotted', [18]],
    ['no missing key', 'zzz', '', []],
  ])('match %s', async (_what, utm_key, utm_value, indexes) => {
    expect(await found({ utm_key, utm_value })).toEqual(indexes);
  });

  it('filter nothing if only one of them is present', async () => {
    const all = LINES.map((_, index) => index);
    expect(await found({ utm_key: 's' })).toEqual(all);
    expect(await found({ utm_key: '' })).toEqual(all);
    expect(await found({ utm_value: 'newsletter' })).toEqual(all);
  });

  it('combine with the other filters', async () => {
    expect(await found({ utm_key: 's', utm_value: 'newsletter', event_name: '6' })).toEqual([6]);
  });

  // ClickHouse's JSON functions cannot read such texts; decisions.md treats them as not being JSON objects.
  it.each([
    '{"s":"found?","x":18446744073709551616}',
    '{"s":"found?","x":1e400}',
    '{"s":"found?","x":"\\ud83d"}',
  ])('neither match nor fail on JSON that ClickHouse cannot store: %s', async (utm_params) => {
    await endpoint.insertLines(TABLE, JSON.stringify({ ...FILLED, utm_params }));
    expect(await endpoint.rows({ utm_key: 's', utm_value: 'found?' })).toEqual([]);
  });

  it('neither match nor fail on invalid UTF-8, and the body stays valid', async () => {
    await endpoint.fill(TABLE, []);
    await endpoint.database.client.command({
      query: `
        INSERT INTO ${TABLE} (timestamp, event_type, event_name, country, utm_params)
        SELECT '2096-02-29', 'url_redirect', unhex('FF'), unhex('C328'), concat('{"s":"', unhex('FF'), '"}')`,
    });
    expect(await endpoint.rows({ utm_key: 's', utm_value: '\ufffd' })).toEqual([]);
    expect(await endpoint.rows({})).toMatchObject([{ event_name: '\ufffd', utm_params: '{"s":"\ufffd"}' }]);
  });
});
