import * as fc from 'fast-check';

import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { apiCounts, type RequestRecord } from '../../support/models/usage.api-counts.js';
import { settleAll } from '../../support/settle-all.js';
import { clockAround, timeAround, PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from './arbitraries.js';
import { openEndpoint, type EndpointUnderTest } from './endpoint-under-test.js';

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
  timestamp: timeAround(
    MOMENT - 8n * DAY,
    MOMENT - 7n * DAY,
    MOMENT - HOUR,
    MOMENT - MINUTE,
    MOMENT,
    MOMENT + DAY,
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
  project: fc.oneof(expression, fc.constantFrom('.', '^', 'x*')),
});

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('usage.api-counts', clockAt(MOMENT));
});
afterAll(() => endpoint.close());

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 40, size: 'max' }),
        fc.array(call, { minLength: 1, maxLength: 16, size: 'max' }),
        async (records, calls) => {
          await endpoint.fill(
            'edge_logs',
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
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
