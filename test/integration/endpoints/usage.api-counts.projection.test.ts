import * as fc from 'fast-check';

import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { clockAround, timeAround, PROPERTY_RUNS } from './arbitraries.js';
import { openBesideRecords, type Call, type EndpointBesideRecords } from './beside-records.js';
import type { Row } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');

const time = fc.oneof(
  {
    weight: 8,
    arbitrary: timeAround(
      MOMENT - 8n * DAY,
      MOMENT - 7n * DAY,
      MOMENT - 7n * DAY + HOUR,
      MOMENT - HOUR,
      MOMENT - MINUTE,
      MOMENT,
      MOMENT + DAY,
    ),
  },
  // A time before the range of DateTime.
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '2104-12-31T23:59:59.999999Z',
        '2105-01-01T00:00:00Z',
        '2105-12-31T23:59:59Z',
        '2250-01-01T00:00:00Z',
      )
      .map(microsOf),
  },
);

/** Projects with one origin, with several, without a scheme, and with the others' names in path and query. */
const ORIGINS = [
  'https://aurora.example.co',
  'https://boreal.example.co',
  'https://aurora.test:8443',
  'HTTP://aurora',
  'x',
  '',
];
const RESTS = [
  '',
  '/',
  '/rest/v1',
  '/auth?ref=aurora',
  '/storage/boreal',
  '#aurora',
  '?aurora.example',
  '/rest/\n',
  '\naurora/',
  '//aurora',
];
const record = fc.record({
  project: fc.constantFrom('aurora', 'boreal', 'https://aurora', ''),
  timestamp: time.map(printMicros),
  url: fc.tuple(fc.constantFrom(...ORIGINS), fc.constantFrom(...RESTS)).map((parts) => parts.join('')),
  path: fc.constantFrom('/rest/v1', '/auth', '/storage/rest', '/realtime', '', '/'),
});
const batches = fc
  .array(fc.array(record, { maxLength: 12, size: 'max' }), { minLength: 1, maxLength: 4, size: 'max' })
  .chain((lists) => fc.subarray(lists).map((again) => [...lists, ...again]));

// prettier-ignore
const EXPRESSIONS = [
  'aurora', 'boreal', '.', 'x*', '^', '^https://aurora', '^https://', '^aurora', 'aurora|boreal',
  '^x', 'aurora$', 'aurora\\b', '\\baurora', 'co\\z', 'aurora(?m)$', '(?m)^aurora', '[$]',
  '\\Qaurora\\E', '\\\\b', 'aurora\\.example', 'aurora\\.example\\.co/rest', 'co(/rest)?', '[^/]$',
  '^[^/]*$', '(?i)AURORA', 'a\\x24', 'example.co.rest', '\\w+\\.co', '\\pL+', '\\Bco', 'co[^/]',
  '/rest', '\\?', ':8443', '\\d', 'co\\n?', '//[^/]*$', 'https', 'example', 'storage', 'auth',
  'auro', 'aur', '8443', 'ref_aurora', 'HTTP',
  // The last nine are names; names of four characters or more use the index.
];

const call: fc.Arbitrary<Call> = fc.record({
  parameters: fc.record({
    project: fc.constantFrom(...EXPRESSIONS),
    interval: fc.constantFrom('minutely', 'hourly', 'daily'),
  }),
  now: clockAround(MOMENT).map(clockAt),
  pinned: fc.constantFrom([], [], ['project']),
});

const BUCKET: Readonly<Record<string, string>> = {
  minutely: 'toStartOfMinute',
  hourly: 'toStartOfHour',
  daily: 'toStartOfDay',
};
const WINDOW: Readonly<Record<string, string>> = {
  minutely: '60 MINUTE',
  hourly: '1 HOUR',
  daily: '7 DAY',
};

/** Returns the counts of a plain query of the records. */
const countRecords = ({ parameters, now, pinned = [] }: Call): Promise<readonly Row[]> => {
  const { interval = '' } = parameters;
  return endpoint.query(
    `SELECT
       ${BUCKET[interval]}(log.timestamp) AS timestamp,
       toUInt32(sum(path LIKE '%/rest%')) AS total_rest_requests,
       toUInt32(sum(path LIKE '%/storage%')) AS total_storage_requests,
       toUInt32(sum(path LIKE '%/auth%')) AS total_auth_requests,
       toUInt32(sum(path LIKE '%/realtime%')) AS total_realtime_requests
     FROM edge_logs AS log
     WHERE ${pinned.length > 0 ? 'project = {project:String}' : 'match(url, {project:String})'}
       AND log.timestamp >= {now:DateTime64(6, 'UTC')} - INTERVAL ${WINDOW[interval]}
     GROUP BY timestamp
     ORDER BY timestamp`,
    { ...parameters, now: now.toISOString().slice(0, -1) },
  );
};

let endpoint: EndpointBesideRecords;
beforeAll(async () => {
  endpoint = await openBesideRecords('usage.api-counts', 'edge_logs');
});
afterAll(() => endpoint.close());

it('counts as a plain query of the records does, for any records, inserts, merges and parameters', async () => {
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.boolean(),
      fc.array(call, { minLength: 1, maxLength: 20, size: 'max' }),
      async (inserts, merged, calls) => {
        await endpoint.fill(inserts, merged);
        await Promise.all(
          calls.map(async (each) => {
            expect((await endpoint.call(each)).rows).toEqual(await countRecords(each));
          }),
        );
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
}, 120_000);

it('counts as a plain query does if a URL is not UTF-8', async () => {
  await endpoint.fill([]);
  // Invalid bytes before, in and after a name, in the origin and in the rest, and a NUL.
  const urls = [
    'https://a\\xC3aurora.test/',
    'https://auro\\xC3ra.test/aurora',
    'https://x\\xFF/zo\\xC3\\xABy',
    'https://zo\\xC3\\xABy\\xC3.test',
    'https://zo\\xC3',
    'https://au\\0rora.test/?zo\\xC3\\xABy\\0',
    '\\xC3\\xAB://aurora',
  ];
  await endpoint.database.client.command({
    query: `
      INSERT INTO edge_logs (project, timestamp, url, path)
      SELECT 'p', toDateTime64('2096-02-29 12:00:00', 6, 'UTC') - toIntervalHour(number % 30), url, '/rest'
      FROM numbers(300) ARRAY JOIN [${urls.map((url) => `'${url}'`).join(', ')}] AS url`,
  });
  for (const project of ['aurora', 'zoëy', 'test', 'https', 'ëyyy', '.test', 'a.rora', 'zo.y', 'o\\x{eb}y']) {
    const each = { parameters: { project, interval: 'daily' }, now: clockAt(MOMENT) };
    expect((await endpoint.call(each)).rows).toEqual(await countRecords(each));
  }
});

describe('ClickHouse reads', () => {
  beforeAll(async () => {
    await endpoint.fill([]);
    await endpoint.database.client.command({
      query: `
        INSERT INTO edge_logs (project, timestamp, url)
        SELECT
          if(number % 2, 'aurora$', 'boreal'), toDateTime64('2096-02-29 23:59:59', 6, 'UTC') - toIntervalSecond(3 * number),
          concat('https://', if(number % 2, 'aurora', 'boreal'), '.example.co/rest/v1/orders?id=eq.', toString(number))
        FROM numbers(200000)`,
    });
  });
  const sources = (
    project: string,
    interval: string,
    pinned: readonly string[] = [],
  ): Promise<readonly string[]> =>
    endpoint.sources({ parameters: { project, interval }, now: clockAt(MOMENT), pinned });

  it.each(['aurora', '^https://aurora\\.', 'a|b', '(?i)A[^/]+', '\\\\b', 'x\\d*'])(
    'hourly origins for %s as well, which restricts nothing after the origin',
    async (project) => {
      expect(await sources(project, 'daily')).toEqual(['edge_logs', 'origin_hours']);
    },
  );

  it.each(['aurora$', 'a\\b', 'a\\B', 'a\\z', '[$]', '\\Qa\\E', '(?m)a$', 'a\\x24', '\\pL'])(
    'only the records for %s',
    async (project) => {
      expect(await sources(project, 'daily')).toEqual(['edge_logs']);
    },
  );

  it('hourly origins for a project that a key pins, whatever its name', async () => {
    expect(await sources('aurora$', 'daily', ['project'])).toEqual(['edge_logs', 'origin_hours']);
    expect(await sources('aurora$', 'minutely', ['project'])).toEqual(['edge_logs']);
  });
});

describe('the index of the text after the origin', () => {
  const remaining = (project: string): Promise<readonly string[]> =>
    endpoint.granulesLeft('targets', {
      parameters: { project, interval: 'daily' },
      now: clockAt(MOMENT),
    });

  beforeAll(async () => {
    const records = Array.from({ length: 3000 }, (_, index) => ({
      project: index % 2 ? 'aurora' : 'boreal',
      timestamp: printMicros(MOMENT - BigInt(index) * MINUTE),
      url: `https://${index % 2 ? 'aurora' : 'boreal'}.example.co/rest/v1/orders?id=eq.${index}`,
    }));
    await endpoint.fill([records]);
  });

  it('selects no record for a name that only origins contain', async () => {
    const granules = await remaining('aurora');
    expect(granules).toHaveLength(1);
    expect(granules[0]).toMatch(/^0\/[1-9]/);
  });

  it('selects the records that contain a name', async () => {
    expect(await remaining('orders')).toEqual([expect.stringMatching(/^([1-9]\d*)\/\1$/)]);
  });

  it.each(['^https://aurora', 'aurora|boreal', 'aur', 'aurora/', 'a.rora'])(
    'is not used for %s, which is not a name of four characters',
    async (project) => {
      expect(await remaining(project)).toEqual([]);
    },
  );
});
