import { useTestDatabase } from '../../support/clickhouse.js';

const TIMESTAMP = '2096-03-01T00:00:00Z';
const REQUEST = { method: 'POST', url: 'https://aurora.example/rest/v1?a=/auth', path: '/auth/v1' };

const database = useTestDatabase();

/** Returns some columns of the only record that a log shipper sent. */
async function stored(table: string, columns: string, record: object): Promise<readonly unknown[]> {
  await database.client.command({ query: `TRUNCATE TABLE ${table}` });
  await database.insert(table, [{ timestamp: TIMESTAMP, ...record }]);
  const result = await database.client.query({
    query: `SELECT ${columns} FROM ${table}`,
    format: 'JSONCompactEachRow',
  });
  const [row = []] = await result.json<unknown[]>();
  return row;
}

describe('columns of a request that are absent are read from metadata', () => {
  it.each([
    ['edge_logs', 'method, url, path, status_code', ['POST', REQUEST.url, '/auth/v1', 404]],
    [
      'function_relay_logs',
      'function_id, method, url, status_code, execution_time_ms',
      ['f1', 'POST', REQUEST.url, 404, 12.5],
    ],
    ['function_event_logs', 'function_id', ['f1']],
    ['auth_logs', 'path, status_code', ['/auth/v1', 404]],
  ])('in %s', async (table, columns, values) => {
    const metadata = {
      request: REQUEST,
      response: { status_code: 404 },
      execution_time_ms: 12.5,
      function_id: 'f1',
    };
    expect(await stored(table, columns, { metadata })).toEqual(values);
    expect(await stored(table, columns, { metadata: JSON.stringify(metadata, null, 2) })).toEqual(values);
  });

  it.each([
    ['absent', {}],
    ['null', { metadata: null }],
    ['empty', { metadata: '' }],
    ['not JSON', { metadata: 'plain text' }],
    ['not an object', { metadata: [REQUEST] }],
    ['an object without these members', { metadata: { request: null, response: [], function_id: null } }],
  ])('and are empty if metadata is %s', async (_what, record) => {
    expect(await stored('edge_logs', 'method, url, path, status_code', record)).toEqual(['', '', '', null]);
    expect(
      await stored('function_relay_logs', 'function_id, method, url, status_code, execution_time_ms', record),
    ).toEqual(['', '', '', null, null]);
    expect(await stored('auth_logs', 'path, status_code', record)).toEqual(['', null]);
  });

  it('but keep the values that were sent', async () => {
    const own = { method: 'GET', url: 'https://x.example/', path: '/y', status_code: 200 };
    const metadata = { request: REQUEST, response: { status_code: 404 } };
    expect(await stored('edge_logs', 'method, url, path, status_code', { ...own, metadata })).toEqual(
      Object.values(own),
    );
    expect(await stored('edge_logs', 'path', { path: '', metadata })).toEqual(['']);
    expect(await stored('edge_logs', 'path', { path: null, metadata })).toEqual(['/auth/v1']);
  });

  it.each([
    ['https://aurora.example/storage/v1/a%2Fb/é?x=/rest#/auth', '/storage/v1/a%2Fb/é'],
    ['https://aurora.example:8443/', '/'],
    ['https://aurora.example', ''],
    ['https://aurora.example?x=/rest', ''],
    ['/rest/v1', '/rest/v1'],
  ])('the path of %s is %j', async (url, path) => {
    expect(await stored('edge_logs', 'path', { url })).toEqual([path]);
    expect(await stored('edge_logs', 'path', { metadata: { request: { url } } })).toEqual([path]);
  });
});

describe('metadata', () => {
  it.each(['edge_logs', 'database_logs', 'pooler_logs', 'custom_events'])(
    'of %s is stored as it was sent, and is an empty object if absent',
    async (table) => {
      const metadata = '{ "b":1.50,"a":{"c":[null]},"n":18446744073709551616 }';
      expect(await stored(table, 'metadata', { metadata })).toEqual([metadata]);
      expect(await stored(table, 'metadata', { metadata: { b: 1, a: {} } })).toEqual(['{"b":1,"a":{}}']);
      expect(await stored(table, 'metadata', {})).toEqual(['{}']);
    },
  );
});

describe('the filterable columns of custom events', () => {
  const COLUMNS = [
    'level',
    'user_id',
    'profile_id',
    'view_id',
    'event_type',
    'event_target',
    'event_id',
    'event_name',
    'referrer',
    'city',
    'country',
    'device',
    'language',
    'utm_params',
  ];

  it('are null if they are absent or null, and empty if they are empty', async () => {
    const filledWith = (value: unknown): object => Object.fromEntries(COLUMNS.map((name) => [name, value]));
    const nulls = COLUMNS.map(() => null);
    expect(await stored('custom_events', COLUMNS.join(), {})).toEqual(nulls);
    expect(await stored('custom_events', COLUMNS.join(), filledWith(null))).toEqual(nulls);
    expect(await stored('custom_events', COLUMNS.join(), filledWith(''))).toEqual(COLUMNS.map(() => ''));
  });
});
