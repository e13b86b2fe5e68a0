import { GROUP_COLUMNS } from '../../support/models/get-grouped-stats-events-logs.js';
import { clockAt, microsOf } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

const TABLE = 'custom_events';
const NOW = clockAt(microsOf('2096-03-01T12:00:00Z'));

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

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('get-grouped-stats-events-logs', NOW);
});
afterAll(() => endpoint.close());

/** Events that differ in their name, so that each is a group named after its index. */
const fillNamed = (events: readonly object[]): Promise<void> =>
  endpoint.fill(
    TABLE,
    events.map((event, index) => ({ timestamp: '2096-02-29', event_name: String(index), ...event })),
  );

const column = (rows: readonly Row[], name: string): readonly unknown[] => rows.map((row) => row[name]);

/** Returns the indexes of the events that a call matches. */
const found = async (parameters: Readonly<Record<string, string>>): Promise<readonly number[]> =>
  column(await endpoint.rows(parameters), 'event_name')
    .map(Number)
    .sort((a, b) => a - b);

describe('groups', () => {
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

  it.each(GROUP_COLUMNS)(
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

  it('orders by day, then event_id, then the other columns in the order of the result', async () => {
    const at = (day: string, fields: object): object => ({ ...FILLED, timestamp: day, ...fields });
    await endpoint.fill(TABLE, [
      at('2096-03-01', { event_id: 'a', event_name: 'a' }),
      at('2096-02-29', { event_id: 'b', event_name: 'a' }),
      at('2096-02-29', { event_id: 'a', event_name: 'b', utm_params: '1' }),
      at('2096-02-29', { event_id: 'a', event_name: 'b', utm_params: null }),
      at('2096-02-29', { event_id: 'a', event_name: 'b', city: 'A', event_type: 'z' }),
      at('2096-02-29', { event_id: 'a', event_name: 'b', city: 'B', event_type: 'a', country: 'ZZ' }),
      at('2096-02-29', { event_id: 'a', event_name: 'b', city: 'B', event_type: 'a', country: null }),
      at('2096-02-29', { event_id: null, event_name: 'z' }),
    ]);
    const rows = await endpoint.rows({});
    expect(
      rows.map((row) => [
        String(row['group_time']).slice(5, 10),
        row['event_id'],
        row['event_name'],
        row['city'],
        row['country'],
        row['utm_params'] === FILLED.utm_params ? 'same' : row['utm_params'],
      ]),
    ).toEqual([
      ['02-29', null, 'z', 'Köln', 'DE', 'same'],
      ['02-29', 'a', 'b', 'A', 'DE', 'same'],
      ['02-29', 'a', 'b', 'B', null, 'same'],
      ['02-29', 'a', 'b', 'B', 'ZZ', 'same'],
      ['02-29', 'a', 'b', 'Köln', 'DE', null],
      ['02-29', 'a', 'b', 'Köln', 'DE', '1'],
      ['02-29', 'b', 'a', 'Köln', 'DE', 'same'],
      ['03-01', 'a', 'a', 'Köln', 'DE', 'same'],
    ]);
  });

  it('returns the first 1000 groups of more, and reports the truncation', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => String(9000 - index));
    await endpoint.fill(
      TABLE,
      ids.map((event_id) => ({ ...FILLED, event_id })),
    );
    const { rows, truncated } = await endpoint.run({});
    expect(column(rows, 'event_id')).toEqual([...ids].sort().slice(0, 1000));
    expect(truncated).toBe(true);
    expect(
      await endpoint.run({ event_name: FILLED.event_name, event_ids: ids.slice(1).join() }),
    ).toMatchObject({
      rowCount: 1000,
      truncated: false,
    });
  });

  it('returns no rows if no event matches', async () => {
    await endpoint.fill(TABLE, []);
    expect((await endpoint.run({})).text).toBe('{"result":[]}');
  });
});

describe.each([
  'level',
  'user_id',
  'profile_id',
  'view_id',
  'event_target',
  'event_name',
  'referrer',
  'city',
  'country',
  'device',
  'language',
  'utm_params',
  'event_type',
])('%s', (name) => {
  // The arbitraries of get-grouped-stats-events-logs.property.test.ts cover other texts.
  const VALUES = ['a', 'A', '', null, '%', '\\', '\\N'];

  beforeAll(() =>
    endpoint.fill(
      TABLE,
      VALUES.map((value, index) => ({ timestamp: '2096-02-29', event_id: String(index), [name]: value })),
    ),
  );

  it.concurrent.each(
    VALUES.flatMap((value, index) => (value === null ? [] : [[value, String(index)] as const])),
  )('finds exactly %j, never null', async (value, index) => {
    expect(column(await endpoint.rows({ [name]: value }), 'event_id')).toEqual([index]);
  });

  it('filters nothing if it is omitted', async () => {
    expect(await endpoint.rows({})).toHaveLength(VALUES.length);
  });
});

describe('event_type and include_unique', () => {
  const TYPES = ['view', 'unique_view', 'click', 'unique_click', 'url_redirect', 'View', 'unique_', '', null];

  beforeAll(() => fillNamed(TYPES.map((event_type) => ({ event_type }))));

  it.each([
    ['view', 'true', ['view', 'unique_view']],
    ['view', undefined, ['view']],
    ['view', 'false', ['view']],
    ['view', 'TRUE', ['view']],
    ['view', '', ['view']],
    ['view', '1', ['view']],
    ['click', 'true', ['click', 'unique_click']],
    ['click', undefined, ['click']],
    ['click', ' true', ['click']],
    ['url_redirect', 'true', ['url_redirect']],
    ['unique_view', 'true', ['unique_view']],
    ['unique_click', undefined, ['unique_click']],
    ['View', 'true', ['View']],
    ['', 'true', ['']],
    ['scroll', 'true', []],
  ])('event_type %j with include_unique %j matches %j', async (event_type, include_unique, matched) => {
    const indexes = await found({ event_type, ...(include_unique !== undefined && { include_unique }) });
    expect(indexes.map((index) => TYPES[index])).toEqual(matched);
  });

  it('include_unique without event_type filters nothing', async () => {
    expect(await found({ include_unique: 'true' })).toHaveLength(TYPES.length);
  });
});

describe('event_ids', () => {
  const IDS = ['a', 'b', ' b', 'b ', '', null, "it's", '"', '\\', 'tab\t', 'line\n', '😀', '[a', '\\N'];

  beforeAll(() => fillNamed(IDS.map((event_id) => ({ event_id }))));

  it.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    ['b,a,b', ['a', 'b']],
    ['a, b', ['a', ' b']],
    ['b ,zzz', ['b ']],
    ['a,,b', ['a', 'b', '']],
    [',', ['']],
    ['a,', ['a', '']],
    ['', ['']],
    ['it\'s,",\\,tab\t,line\n,😀,[a,\\N', ["it's", '"', '\\', 'tab\t', 'line\n', '😀', '[a', '\\N']],
    ['A', []],
  ])('%j is split on commas, and its items are used unchanged', async (event_ids, matched) => {
    expect((await found({ event_ids })).map((index) => IDS[index])).toEqual(matched);
  });
});
