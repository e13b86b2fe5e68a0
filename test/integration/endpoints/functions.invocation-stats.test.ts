import * as fc from 'fast-check';

import {
  invocationStats,
  seriesOf,
  type Between,
  type InvocationStats,
  type RelayRecord,
} from '../../support/models/functions.invocation-stats.js';
import { clockAt, DAY, HOUR, microsOf, printMicros, startOf } from '../../support/models/time.js';
import { settleAll } from '../../support/settle-all.js';
import {
  asSent,
  clockAround,
  awkwardText,
  timeAround,
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MS,
  storage,
} from './arbitraries.js';
import { openEndpoint, type Row } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const INTERVALS = ['5min', '15min', '1hr', '1day', '7day', 'other'];

/** First and last bucket of the series of every interval. */
const EDGES = INTERVALS.flatMap((interval) => {
  const { unit, length } = seriesOf(interval);
  return [startOf(unit, MOMENT - length), startOf(unit, MOMENT), startOf(unit, MOMENT) + unit];
});

const project = fc.oneof({ weight: 5, arbitrary: fc.constant('p') }, { weight: 1, arbitrary: awkwardText });
const functionId = fc.oneof(fc.constantFrom('f', 'g', ''), awkwardText);

const record: fc.Arbitrary<RelayRecord> = fc.record({
  timestamp: timeAround(MOMENT - 7n * DAY - HOUR, ...EDGES),
  project,
  function_id: functionId,
  status_code: fc.option(fc.constantFrom(200, 399, 400, 404, 599)),
  execution_time_ms: fc.option(
    fc.oneof(
      fc.constantFrom(0, 1, 1.5, 250),
      // Rows are inserted by JSON.stringify, which writes -0 as 0, and Jest tells the two apart: adding 0 leaves no -0.
      fc.double({ min: -1e300, max: 1e300, noNaN: true }).map((value) => value + 0),
    ),
  ),
});

const call = fc.record({
  now: clockAround(MOMENT),
  parameters: fc.record(
    { project, function_id: functionId, interval: fc.oneof(fc.constantFrom(...INTERVALS), awkwardText) },
    { requiredKeys: ['project'] },
  ),
});

const TABLE = 'function_relay_logs';
const invocation = (fields: object): object => ({
  project: 'aurora',
  timestamp: '2096-03-01T00:00:00.000000Z',
  ...fields,
});

const endpoint = openForAll(() => openEndpoint('functions.invocation-stats', clockAt(MOMENT)));

/** Replaces approximated values of the row by the model's values if they are near enough. */
function inTermsOf(model: InvocationStats | undefined, row: Row): Row {
  const asModel = (name: keyof InvocationStats, isNear: (value: number) => boolean): object => {
    const value = row[name];
    return typeof value === 'number' && model !== undefined && isNear(value) ? { [name]: model[name] } : {};
  };
  const inside = (between: Between | null | undefined) => (value: number) =>
    !!between && value >= between.from && value <= between.to;
  const average = model?.avg_execution_time ?? NaN;
  const largest = Math.max(
    Math.abs(model?.min_execution_time ?? 0),
    Math.abs(model?.max_execution_time ?? 0),
  );
  return {
    ...row,
    ...asModel('avg_execution_time', (value) => Math.abs(value - average) <= 1e-12 * largest),
    ...asModel('p95_execution_time', inside(model?.p95_execution_time)),
    ...asModel('p99_execution_time', inside(model?.p99_execution_time)),
  };
}

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 60, size: 'max' }),
        fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
        storage,
        async (records, calls, parts) => {
          await endpoint.fill(
            TABLE,
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
            parts,
          );
          await settleAll(calls, async ({ now, parameters }) => {
            const rows = await endpoint.rows(asSent(parameters), clockAt(now));
            const expected = invocationStats(records, parameters, now);
            expect(rows.map((row, index) => inTermsOf(expected[index], row))).toEqual(expected);
          });
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

it('returns minimum, maximum, average, quantiles and counts in the order of the specification', async () => {
  const times = [0.5, 20, 3.25, 1];
  await endpoint.fill(
    TABLE,
    times.map((execution_time_ms) => invocation({ execution_time_ms, status_code: 200 })),
  );
  const { text } = await endpoint.run({ project: 'aurora', interval: '7day' });
  expect(text).toBe(
    '{"result":[{"timestamp":"2096-03-01T00:00:00Z","min_execution_time":0.5,"max_execution_time":20,' +
      '"avg_execution_time":6.1875,"p95_execution_time":20,"p99_execution_time":20,"count":4,"error_count":0}]}',
  );
});

it.each([[1234.5678901], [16777217], [16777219, 16777217], [3.5e38, 4e38, 1e300], [-1e-320, -1e300]])(
  'returns p95 and p99 of %j, … as elements of the data, to the last bit',
  async (...times) => {
    await endpoint.fill(
      TABLE,
      times.map((execution_time_ms) => invocation({ execution_time_ms })),
    );
    for (const interval of ['5min', '1hr', '1day', '7day']) {
      const [row] = await endpoint.rows({ project: 'aurora', interval });
      const largest = Math.max(...times);
      expect(row).toMatchObject({ max_execution_time: largest, p95_execution_time: largest });
      expect(row).toMatchObject({ p99_execution_time: largest });
    }
  },
);

it('treats NaN as no execution time, and infinity as one whose percentile is null', async () => {
  await endpoint.fill(TABLE, []);
  const times = [...Array.from({ length: 98 }, (_, index) => index), 'nan', '1e999', '1e999'];
  await endpoint.insertLines(
    TABLE,
    ...times.map((time) => JSON.stringify(invocation({ execution_time_ms: time }))),
  );
  expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([
    { min_execution_time: 0, max_execution_time: null, p95_execution_time: 94, p99_execution_time: null },
  ]);
});
