import * as fc from 'fast-check';

import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { clockAround, timeAround } from './arbitraries.js';
import { insertBatches, openBothWays, type BothWays, type Outcome, type Question } from './both-ways.js';
import type { Row } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const NOW = clockAt(MOMENT);
const INTERVALS = ['5min', '15min', '1hr', '1day', '7day'];

const record = fc.record({
  project: fc.constantFrom('p', 'p', 'p', 'q', ''),
  function_id: fc.constantFrom('f', 'g', ''),
  timestamp: timeAround(
    MOMENT - 7n * DAY,
    MOMENT - DAY,
    MOMENT - HOUR,
    MOMENT - 15n * MINUTE,
    MOMENT - MINUTE,
    MOMENT,
    MOMENT + DAY,
  ).map(printMicros),
  status_code: fc.option(fc.constantFrom(200, 399, 400, 599)),
  execution_time_ms: fc.option(
    fc.oneof(fc.constantFrom(0, 1, 1.5, 250), fc.double({ min: 1e-3, max: 1e9, noNaN: true })),
  ),
});
const batches = fc
  .array(fc.array(record, { maxLength: 15, size: 'max' }), { minLength: 1, maxLength: 4, size: 'max' })
  .chain((lists) => fc.subarray(lists).map((again) => [...lists, ...again]));

const question: fc.Arbitrary<Question> = fc.record({
  parameters: fc.record({
    project: fc.constantFrom('p', 'p', 'q', '', 'none'),
    interval: fc.constantFrom(...INTERVALS, 'other'),
    function_id: fc.constantFrom('', 'f', 'g', 'none'),
  }),
  now: clockAround(MOMENT).map(clockAt),
});

const QUANTILES = ['p95_execution_time', 'p99_execution_time'] as const;

/** The exact columns of the rows; quantiles have a test of their own. */
const exact = ({ rows, truncated }: Outcome): object => ({
  truncated,
  rows: rows.map((row) => ({
    ...row,
    avg_execution_time: null,
    ...Object.fromEntries(QUANTILES.map((name) => [name, row[name] === null ? null : 'a number'])),
  })),
});
const averages = (rows: readonly Row[]): readonly (number | null)[] =>
  rows.map((row) => row['avg_execution_time'] as number | null);

let endpoint: BothWays;
beforeAll(async () => {
  endpoint = await openBothWays('functions.invocation-stats', 'function_relay_logs');
});
afterAll(() => endpoint.close());

it('answers the same both ways, on any records, for any parameters', async () => {
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.boolean(),
      fc.array(question, { minLength: 1, maxLength: 16, size: 'max' }),
      async (inserts, merged, calls) => {
        await endpoint.clear();
        await insertBatches(endpoint.database, 'function_relay_logs', inserts);
        if (merged) await endpoint.merge();
        await Promise.all(
          calls.map(async (asked) => {
            const raw = await endpoint.ask('raw', asked);
            const rolledUp = await endpoint.ask('rolled up', asked);
            expect(exact(rolledUp)).toEqual(exact(raw));
            const expected = averages(raw.rows);
            averages(rolledUp.rows).forEach((average, index) => {
              const other = expected[index] ?? null;
              if (average === null || other === null) expect(average).toBe(other);
              else expect(Math.abs(average - other)).toBeLessThanOrEqual(1e-9 * other);
            });
          }),
        );
      },
    ),
    { numRuns: 12 },
  );
});

it.each([
  ['5min', 'function_relay_logs'],
  ['15min', 'function_relay_minutes'],
  ['1hr', 'function_relay_minutes'],
  ['1day', 'function_relay_hours'],
  ['other', 'function_relay_hours'],
  ['7day', 'function_relay_days'],
])('for %s reads %s', async (interval, table) => {
  const asked = { parameters: { project: 'p', interval }, now: NOW };
  expect(await endpoint.tablesRead('rolled up', asked)).toEqual([table]);
  expect(await endpoint.tablesRead('raw', asked)).toEqual(['function_relay_logs']);
});

const ROWS = 120_000;
/** Standard normal, from two uniform draws (Box and Muller). */
const NORMAL =
  'sqrt(-2 * log((cityHash64(number, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (cityHash64(number, 2) % 1000000) / 1000000)';
const DISTRIBUTIONS = {
  'log-normal': `exp(3 + 1.5 * ${NORMAL})`,
  uniform: '(cityHash64(number, 3) % 10000000) / 1000',
  'heavy ties': '[1, 1, 1, 5, 5, 50][1 + cityHash64(number, 4) % 6]',
  'two humps': `if(cityHash64(number, 5) % 10 < 9, 20, 2000) + ${NORMAL}`,
};
const BUCKET: Readonly<Record<string, string>> = {
  '15min': 'toStartOfMinute(timestamp)',
  '1hr': 'toStartOfMinute(timestamp)',
  '1day': 'toStartOfHour(timestamp)',
  '7day': 'toStartOfDay(timestamp)',
};

describe.each(Object.entries(DISTRIBUTIONS))('quantiles of %s times', (_name, expression) => {
  beforeAll(async () => {
    await endpoint.clear();
    // Half of them in the last hour, the rest over the days; in eight inserts, each over all of the time.
    for (let part = 0; part < 8; part += 1) {
      await endpoint.database.client.command({
        query: `
          INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms)
          SELECT
            'p', toString(number % 7),
            toDateTime64('2096-02-29 23:59:59', 6, 'UTC')
              - toIntervalSecond(cityHash64(number, 6) % if(number % 2 = 0, 3500, 600000)),
            ${expression}
          FROM numbers(${(ROWS / 8) * part}, ${ROWS / 8})`,
      });
    }
  }, 60_000);

  /** How far the rank of a value among the sorted ones is from what it should be, as a share. */
  const missedRank = async (interval: string, row: Row, name: string, level: number): Promise<number> => {
    // Of equal values any rank is theirs: the nearest counts.
    const result = await endpoint.database.client.query({
      query: `
        SELECT
          countIf(execution_time_ms < {value:Float64}) / count() AS from,
          countIf(execution_time_ms <= {value:Float64}) / count() AS to
        FROM function_relay_logs WHERE ${BUCKET[interval] ?? ''} = parseDateTimeBestEffort({bucket:String})`,
      query_params: { value: row[name], bucket: row['timestamp'] },
      format: 'JSONEachRow',
    });
    const [{ from, to } = { from: NaN, to: NaN }] = await result.json<{ from: number; to: number }>();
    return Math.max(0, from - level, level - to);
  };

  it.each(['15min', '1hr', '1day', '7day'])(
    'are within 1 % of rank for %s',
    async (interval) => {
      const asked = { parameters: { project: 'p', interval }, now: clockAt(MOMENT - 1_000_000n) };
      for (const merged of [false, true]) {
        if (merged) await endpoint.merge();
        const { rows } = await endpoint.ask('rolled up', asked);
        expect(rows.length).toBeGreaterThan(5);
        const missed = await Promise.all(
          rows.flatMap((row) => [
            missedRank(interval, row, 'p95_execution_time', 0.95),
            missedRank(interval, row, 'p99_execution_time', 0.99),
          ]),
        );
        // A bucket of few records has no rank between two of them.
        const fewest = Math.min(...rows.map((row) => Number(row['count'])));
        expect(Math.max(...missed)).toBeLessThanOrEqual(0.01 + 1 / fewest);
      }
    },
    60_000,
  );
});
