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
} from './arbitraries.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

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

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('functions.invocation-stats', clockAt(MOMENT));
});
afterAll(() => endpoint.close());

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
        async (records, calls) => {
          await endpoint.fill(
            'function_relay_logs',
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
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
