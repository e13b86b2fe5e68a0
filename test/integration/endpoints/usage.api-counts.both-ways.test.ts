import * as fc from 'fast-check';

import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { clockAround, timeAround } from './arbitraries.js';
import { insertBatches, openBothWays, type BothWays, type Question } from './both-ways.js';

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
  // What a DateTime does not hold is in no rollup.
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

const EXPRESSIONS = [
  ...[
    'aurora',
    'boreal',
    '.',
    '',
    'x*',
    '^',
    '^https://aurora',
    '^https://',
    '^aurora',
    'aurora|boreal',
    '^x',
  ],
  ...[
    'aurora$',
    'aurora\\b',
    '\\baurora',
    'co\\z',
    'aurora(?m)$',
    '(?m)^aurora',
    '[$]',
    '\\Qaurora\\E',
    '\\\\b',
  ],
  ...[
    'aurora\\.example',
    'aurora\\.example\\.co/rest',
    'co(/rest)?',
    '[^/]$',
    '^[^/]*$',
    '(?i)AURORA',
    'a\\x24',
  ],
  ...[
    'example.co.rest',
    '\\w+\\.co',
    '\\pL+',
    '\\Bco',
    'co[^/]',
    '/rest',
    '\\?',
    ':8443',
    '\\d',
    'co\\n?',
    '//[^/]*$',
  ],
  // Names, which have a way of their own from four characters on.
  ...['https', 'example', 'storage', 'auth', 'auro', 'aur', '8443', 'ref_aurora', 'HTTP'],
].filter((expression) => expression !== '');

const question: fc.Arbitrary<Question> = fc.record({
  parameters: fc.record({
    project: fc.constantFrom(...EXPRESSIONS),
    interval: fc.constantFrom('minutely', 'hourly', 'daily'),
  }),
  now: clockAround(MOMENT).map(clockAt),
  held: fc.constantFrom([], [], ['project']),
});

let endpoint: BothWays;
beforeAll(async () => {
  endpoint = await openBothWays('usage.api-counts', 'edge_logs');
});
afterAll(() => endpoint.close());

it('answers the same both ways, on any records, for any parameters', async () => {
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.boolean(),
      fc.array(question, { minLength: 1, maxLength: 20, size: 'max' }),
      async (inserts, merged, calls) => {
        await endpoint.clear();
        await insertBatches(endpoint.database, 'edge_logs', inserts);
        if (merged) await endpoint.merge();
        await Promise.all(
          calls.map(async (asked) => {
            expect(await endpoint.ask('rolled up', asked)).toEqual(await endpoint.ask('raw', asked));
          }),
        );
      },
    ),
    { numRuns: 12 },
  );
});

it('answers the same both ways where a URL is no UTF-8', async () => {
  await endpoint.clear();
  // Broken before, in and behind a name, in the origin and in the rest, and a NUL.
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
    const asked = { parameters: { project, interval: 'daily' }, now: clockAt(MOMENT) };
    expect(await endpoint.ask('rolled up', asked)).toEqual(await endpoint.ask('raw', asked));
  }
});

describe('the tables that are read', () => {
  const ROLLED_UP = ['edge_logs', 'edge_request_hours', 'edge_request_minutes'];
  const tablesFor = (
    project: string,
    interval: string,
    held: readonly string[] = [],
  ): Promise<readonly string[]> =>
    endpoint.tablesRead('rolled up', { parameters: { project, interval }, now: clockAt(MOMENT), held });

  it.each(['aurora', '^https://aurora\\.', 'a|b', '(?i)A[^/]+', '\\\\b', 'x\\d*'])(
    'are the rollups too for %s, which asks nothing of what follows',
    async (project) => {
      expect(await tablesFor(project, 'daily')).toEqual(ROLLED_UP);
    },
  );

  it.each(['aurora$', 'a\\b', 'a\\B', 'a\\z', '[$]', '\\Qa\\E', '(?m)a$', 'a\\x24', '\\pL'])(
    'are the records alone for %s',
    async (project) => {
      expect(await tablesFor(project, 'daily')).toEqual(['edge_logs']);
    },
  );

  it('are the rollups for a project that a key holds its caller to, whatever its name', async () => {
    expect(await tablesFor('a$', 'daily', ['project'])).toEqual(ROLLED_UP);
    expect(await tablesFor('a$', 'minutely', ['project'])).toEqual(['edge_logs', 'edge_request_minutes']);
  });
});

describe('the index of what follows the origin', () => {
  const left = (project: string): Promise<readonly string[]> =>
    endpoint.granulesLeft('url_rest_ngrams', {
      parameters: { project, interval: 'daily' },
      now: clockAt(MOMENT),
    });

  beforeAll(async () => {
    await endpoint.clear();
    await endpoint.database.insert(
      'edge_logs',
      Array.from({ length: 3000 }, (_, index) => ({
        project: index % 2 ? 'aurora' : 'boreal',
        timestamp: printMicros(MOMENT - BigInt(index) * MINUTE),
        url: `https://${index % 2 ? 'aurora' : 'boreal'}.example.co/rest/v1/orders?id=eq.${index}`,
      })),
    );
  });

  it('leaves no record to look at for a name that only origins have', async () => {
    const granules = await left('aurora');
    expect(granules).toHaveLength(1);
    expect(granules[0]).toMatch(/^0\/[1-9]/);
  });

  it('leaves those that hold a name', async () => {
    expect(await left('orders')).toEqual([expect.stringMatching(/^([1-9]\d*)\/\1$/)]);
  });

  it.each(['^https://aurora', 'aurora|boreal', 'aur', 'aurora/', 'a.rora'])(
    'is not asked for %s, which is no name of four characters',
    async (project) => {
      expect(await left(project)).toEqual([]);
    },
  );
});
