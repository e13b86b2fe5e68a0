import * as fc from 'fast-check';

import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { apiCounts, type RequestRecord } from '../../support/models/usage.api-counts.js';
import { settleAll } from '../../support/settle-all.js';
import { clockAround, timeAround, PROPERTY_RUNS, PROPERTY_TIMEOUT_MS, storage } from './arbitraries.js';
import { openEndpoint } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const INTERVALS = ['minutely', 'hourly', 'daily'] as const;

const PIECES = [
  '/rest',
  '/storage',
  '/auth',
  '/realtime',
  '/v1',
  'rest',
  '/',
  'a',
  'ab',
  'aurora',
  '.example',
  'é',
  'É',
];
const path = fc
  .array(fc.constantFrom(...PIECES, '/REST', '/rest'), { maxLength: 4 })
  .map((pieces) => pieces.join(''));
const url = fc
  .tuple(
    fc.constantFrom('https://', 'http://', ''),
    fc.array(fc.constantFrom(...PIECES, '?', '=', '#', '%2F', '+', '\n', '(', '\\'), { maxLength: 6 }),
  )
  .map(([scheme, pieces]) => scheme + pieces.join(''));

const record: fc.Arbitrary<RequestRecord> = fc.record({
  timestamp: fc.oneof(
    {
      weight: 8,
      arbitrary: timeAround(
        ...[MOMENT - 8n * DAY, MOMENT - 7n * DAY, MOMENT - 7n * DAY + HOUR, MOMENT - HOUR],
        ...[MOMENT - MINUTE, MOMENT, MOMENT + DAY],
      ),
    },
    // Near the end of the range of DateTime.
    {
      weight: 1,
      arbitrary: fc.constantFrom(microsOf('2104-12-31T23:59:59.999999Z'), microsOf('2105-12-31T23:59:59Z')),
    },
  ),
  url,
  path,
});

/**
 * The parts of an expression. A letter beyond ASCII is in a class, because ClickHouse requires the letter's first byte
 * even if `?`, `*` or `{0}` follows: `match('abc', 'abcé?')` is 0.
 */
const WORDS = [
  '\\/rest',
  '\\/auth',
  'storage',
  'rest',
  'aurora',
  '\\.example',
  'ab',
  'a',
  '[é]',
  '[^É]',
  '%',
  '=',
];
const SIGNS = ['.', '[ab]', '[^a/]', '\\d', '\\w', '\\?', '\\+', '\\(', '\\\\', '\\n', '\\/'];
const REPEATS = ['', '', '', '?', '{0}', '{1,2}'];

const repeated = (atom: fc.Arbitrary<string>, ...more: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(atom, fc.constantFrom(...REPEATS, ...more)).map((parts) => parts.join(''));

/**
 * Expressions that RE2 and JavaScript (with the flags s and u) interpret alike. They are shallow and do not nest
 * unbounded repetitions, because JavaScript backtracks over every way to divide a text.
 */
const { expression } = fc.letrec<{ expression: string; sequence: string; step: string; group: string }>(
  (tie) => ({
    expression: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((sides) => sides.join('|')),
    sequence: fc.array(tie('step'), { minLength: 1, maxLength: 3 }).map((steps) => steps.join('')),
    step: fc.oneof(
      { maxDepth: 2 },
      { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b') },
      { weight: 5, arbitrary: repeated(fc.constantFrom(...WORDS, ...SIGNS), '*', '+') },
      { weight: 1, arbitrary: repeated(tie('group')) },
    ),
    group: fc.tuple(fc.constantFrom('(', '(?:'), tie('expression')).map((parts) => `${parts.join('')})`),
  }),
);

const call = fc.record({
  now: clockAround(MOMENT),
  interval: fc.constantFrom(...INTERVALS),
  project: fc.oneof(
    expression,
    fc.constantFrom('.', '^', 'x*', '^https', 'aurora', 'storage', 'aurora$', '[^/]$'),
  ),
});

const TABLE = 'edge_logs';
const request = (fields: object): object => ({
  project: 'aurora',
  timestamp: '2096-03-01T00:00:01Z',
  url: 'https://aurora.example/rest/v1',
  ...fields,
});

const endpoint = openForAll(() => openEndpoint('usage.api-counts', clockAt(MOMENT)));

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 40, size: 'max' }),
        fc.array(call, { minLength: 1, maxLength: 16, size: 'max' }),
        storage,
        async (records, calls, parts) => {
          await endpoint.fill(
            TABLE,
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
            parts,
          );
          await settleAll(calls, async ({ now, interval, project }) => {
            const rows = await endpoint.rows({ project, interval }, clockAt(now));
            expect(rows).toEqual(apiCounts(records, { project: new RegExp(project, 'su'), interval }, now));
          });
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

it('returns a row of zeros if no request of a bucket matches any column, and no row without requests', async () => {
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
    ['(?i)AURORA\\.example', [0, 2]],
    ['Zoë', [0]],
    ['\n', [4]],
    ['^$', [5]],
    ['[[:upper:]]{5}', [2]],
    ['\\bexample\\b', [0, 1, 3]],
    ['\\Q.example/\\E', [0, 3]],
    ['%', []],
    ['aur_ra', []],
    ["'; DROP TABLE edge_logs; --", []],
  ])('%j, which JavaScript does not know or reads otherwise, is RE2’s', async (project, indexes) => {
    expect(await found(project)).toEqual(indexes);
  });

  // prettier-ignore
  const BROKEN = [
    '(', ')', 'a)', '[', '*a', 'a**', 'a\\', 'a{1001}', '[z-a]', '(?=x)', '\\1', '(?P<n', 'x{2,1}', '\\p{Nope}',
    '(a{1000}){1000}',
  ];

  it.each(BROKEN)(
    '%j, which does not compile, is rejected by name, with records and without',
    async (project) => {
      const problem = { param: 'project', problem: 'is not a regular expression that RE2 compiles' };
      for (const now of [clockAt(MOMENT), clockAt(microsOf('2096-04-01T00:00:00Z'))]) {
        await expect(endpoint.rows({ project, interval: 'daily' }, now)).rejects.toMatchObject({
          code: 'INVALID_PARAMETERS',
          details: { problems: [problem] },
        });
      }
    },
  );
});
