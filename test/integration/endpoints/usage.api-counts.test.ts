import { clockAt, microsOf, printMicros } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

const TABLE = 'edge_logs';
const NOW = microsOf('2096-03-01T00:00:30.500Z');

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('usage.api-counts', clockAt(NOW));
});
afterAll(() => endpoint.close());

const request = (fields: object): object => ({
  project: 'aurora',
  timestamp: '2096-03-01T00:00:01Z',
  url: 'https://aurora.example/rest/v1',
  ...fields,
});

const column = (rows: readonly Row[], name: string): readonly unknown[] => rows.map((row) => row[name]);

describe('interval', () => {
  it.each([
    // The start of the window is not truncated: the oldest bucket begins before it.
    ['minutely', '2096-02-29T23:00:30.500000Z', '2096-02-29T23:00:00Z'],
    ['hourly', '2096-02-29T23:00:30.500000Z', '2096-02-29T23:00:00Z'],
    ['daily', '2096-02-23T00:00:30.500000Z', '2096-02-23T00:00:00Z'],
  ])('%s counts from %s on, inclusive to the microsecond', async (interval, start, bucket) => {
    await endpoint.fill(TABLE, [
      request({ timestamp: printMicros(microsOf(start) - 1n) }),
      request({ timestamp: start }),
    ]);
    expect(await endpoint.rows({ project: '.', interval })).toEqual([
      {
        timestamp: bucket,
        total_rest_requests: 1,
        total_storage_requests: 0,
        total_auth_requests: 0,
        total_realtime_requests: 0,
      },
    ]);
  });

  it.each([
    ['minutely', 60n * 1_000_000n, 61],
    ['hourly', 600n * 1_000_000n, 2],
    ['daily', 3600n * 1_000_000n, 8],
  ])('%s returns as many buckets as its window touches, oldest first', async (interval, step, buckets) => {
    const records = Array.from({ length: 200 }, (_, index) =>
      request({ timestamp: printMicros(NOW - BigInt(index) * step) }),
    );
    await endpoint.fill(TABLE, records);
    const starts = column(await endpoint.rows({ project: 'aurora', interval }), 'timestamp');
    expect(starts).toHaveLength(buckets);
    expect(starts).toEqual([...starts].sort());
  });

  it('counts records of the future as well, in buckets of their own', async () => {
    await endpoint.fill(TABLE, [request({ timestamp: '2096-03-01T00:01:00Z' })]);
    expect(await endpoint.rows({ project: 'aurora', interval: 'minutely' })).toMatchObject([
      { timestamp: '2096-03-01T00:01:00Z', total_rest_requests: 1 },
    ]);
  });

  it.each(['', 'Daily', 'weekly', '1day', 'hourly '])(
    '%j is rejected, naming the three values',
    async (interval) => {
      await expect(endpoint.rows({ project: 'aurora', interval })).rejects.toMatchObject({
        code: 'INVALID_PARAMETERS',
        details: {
          problems: [
            { param: 'interval', problem: expect.stringMatching(/minutely.*hourly.*daily/) as string },
          ],
        },
      });
    },
  );

  it('and project are required, and every problem is reported at once', async () => {
    await expect(endpoint.rows({})).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: {
        problems: [
          { param: 'project', problem: 'is required' },
          { param: 'interval', problem: 'is required' },
        ],
      },
    });
  });
});

describe('columns', () => {
  const counts = async (...paths: readonly string[]): Promise<readonly unknown[]> => {
    await endpoint.fill(
      TABLE,
      paths.map((path) => request({ path })),
    );
    const [row = {}] = await endpoint.rows({ project: 'aurora', interval: 'daily' });
    return Object.values(row).slice(1);
  };

  it.each([
    ['/rest/v1/todos', [1, 0, 0, 0]],
    ['/storage/v1/object', [0, 1, 0, 0]],
    ['/auth/v1/token', [0, 0, 1, 0]],
    ['/realtime/v1/websocket', [0, 0, 0, 1]],
    ['/proxy/rest/storage/auth/realtime', [1, 1, 1, 1]],
    ['/v1/restaurants', [1, 0, 0, 0]],
    ['/rest/rest', [1, 0, 0, 0]],
    ['rest/v1', [0, 0, 0, 0]],
    ['/REST/v1', [0, 0, 0, 0]],
    ['/functions/v1', [0, 0, 0, 0]],
    ['', [0, 0, 0, 0]],
  ])('count the path %j as %j', async (path, expected) => {
    expect(await counts(path)).toEqual(expected);
  });

  it('sum the requests of a bucket, each request in every column that it matches', async () => {
    expect(await counts('/rest/a', '/rest/auth', '/auth', '/x', '/auth/storage/')).toEqual([2, 1, 3, 0]);
  });

  it('are a row of zeros if no request of a bucket matches any, and no row without requests', async () => {
    await endpoint.fill(TABLE, [
      request({ path: '/', timestamp: '2096-02-28T01:00:00Z' }),
      request({ path: '/auth', timestamp: '2096-02-26T01:00:00Z' }),
    ]);
    const { text } = await endpoint.run({ project: 'aurora', interval: 'daily' });
    const row = (day: string, auth: number): string =>
      `{"timestamp":"${day}T00:00:00Z","total_rest_requests":0,"total_storage_requests":0,` +
      `"total_auth_requests":${auth},"total_realtime_requests":0}`;
    expect(text).toBe(`{"result":[${row('2096-02-26', 1)},\n${row('2096-02-28', 0)}]}`);
  });

  it.each([
    ['its own', { path: '/auth', metadata: { request: { path: '/rest' } } }, [0, 0, 1, 0]],
    ['its own, even if empty', { path: '', metadata: { request: { path: '/rest' } } }, [0, 0, 0, 0]],
    ['that of metadata.request', { metadata: { request: { path: '/storage' } } }, [0, 1, 0, 0]],
    [
      'that of metadata.request where its own is null',
      { path: null, metadata: { request: { path: '/storage' } } },
      [0, 1, 0, 0],
    ],
    [
      "the URL's, without query and fragment",
      { url: 'https://aurora.example/auth?a=/rest#/storage' },
      [0, 0, 1, 0],
    ],
    ["the URL's, where metadata has a null", { metadata: { request: { path: null } } }, [1, 0, 0, 0]],
    [
      'that of the URL of metadata.request',
      { url: undefined, metadata: { request: { url: 'https://aurora.example/realtime/' } } },
      [0, 0, 0, 1],
    ],
    ['none', { url: 'https://aurora.example' }, [0, 0, 0, 0]],
  ])('use as the path %s', async (_what, fields, expected) => {
    await endpoint.fill(TABLE, [request(fields)]);
    const [row = {}] = await endpoint.rows({ project: 'aurora', interval: 'daily' });
    expect(Object.values(row).slice(1)).toEqual(expected);
  });
});

describe('project', () => {
  const URLS = [
    'https://aurora.example/rest/v1?select=*&name=eq.Zoë',
    'http://borealis.example:8443/auth#top',
    'HTTPS://AURORA.EXAMPLE/',
    'https://x.example/?project=aurora',
    'line\nfeed',
    '',
  ];

  beforeAll(() =>
    endpoint.fill(
      TABLE,
      URLS.map((url, index) => request({ url, timestamp: `2096-02-2${4 + index}T12:00:00Z` })),
    ),
  );

  /** Returns the indexes of the URLs that an expression matches. */
  const found = async (project: string): Promise<readonly number[]> => {
    const rows = await endpoint.rows({ project, interval: 'daily' });
    return rows.map((row) => Number(String(row['timestamp']).slice(8, 10)) - 24);
  };

  it.each([
    ['aurora', [0, 3]],
    ['^https://aurora', [0]],
    ['aurora$', [3]],
    ['(?i)AURORA\\.example', [0, 2]],
    ['\\.example(:\\d+)?/(rest|auth)', [0, 1]],
    ['name=eq\\.Zo.$', [0]],
    ['Zoë', [0]],
    ['#top', [1]],
    ['\\?', [0, 3]],
    ['select=\\*&', [0]],
    ['.', [0, 1, 2, 3, 4]],
    ['line.feed', [4]],
    ['\n', [4]],
    ['^$', [5]],
    ['x*', [0, 1, 2, 3, 4, 5]],
    ['aurora|borealis', [0, 1, 3]],
    ['[[:upper:]]{5}', [2]],
    ['\\bexample\\b', [0, 1, 3]],
    ['\\Q.example/\\E', [0, 3]],
    ['%', []],
    ['aur_ra', []],
    ["'; DROP TABLE edge_logs; --", []],
  ])('%j is matched against the complete URL, anywhere in it', async (project, indexes) => {
    expect(await found(project)).toEqual(indexes);
  });

  it('is independent of the record’s own project', async () => {
    expect(await endpoint.rows({ project: 'nobody', interval: 'daily' })).toEqual([]);
  });

  it('may have 1000 characters, however many bytes they take', async () => {
    expect(await found('😀'.repeat(1000))).toEqual([]);
    await expect(found('a'.repeat(1001))).rejects.toMatchObject({
      details: { problems: [{ param: 'project', problem: 'must be at most 1000 characters' }] },
    });
  });

  it('must not be empty', async () => {
    await expect(found('')).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'project', problem: 'must not be empty' }] },
    });
  });

  const BROKEN = [
    '(',
    ')',
    'a)',
    '[',
    '*a',
    'a**',
    'a\\',
    'a{1001}',
    '[z-a]',
    '(?=x)',
    '\\1',
    '(?P<n',
    'x{2,1}',
    '\\p{Nope}',
    '(a{1000}){1000}',
  ];

  it.each(BROKEN)('%j, which does not compile, is rejected by name', async (project) => {
    await expect(found(project)).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'project', problem: 'is not a regular expression that RE2 compiles' }] },
    });
  });

  it('that does not compile is rejected even if there is no record, or none in the window', async () => {
    const later = clockAt(NOW + 30n * 86_400_000_000n);
    for (const project of BROKEN) {
      await expect(endpoint.rows({ project, interval: 'hourly' }, later)).rejects.toMatchObject({
        details: { problems: [{ param: 'project' }] },
      });
    }
    await endpoint.fill(TABLE, []);
    for (const project of BROKEN) {
      await expect(endpoint.rows({ project, interval: 'hourly' })).rejects.toMatchObject({
        details: { problems: [{ param: 'project' }] },
      });
    }
  });
});
