import * as fc from 'fast-check';

import {
  newestLogs,
  retentionOf,
  type EdgeRecord,
  type LogsParameters,
} from '../../support/models/logs.all.js';
import { clockAt, DAY, HOUR, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { settleAll } from '../../support/settle-all.js';
import {
  asSent,
  boundAround,
  clockAround,
  awkwardText,
  timeAround,
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MS,
} from './arbitraries.js';
import { openEndpoint, type EndpointUnderTest } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const TIERS = ['FREE', 'PRO', 'PAYG', 'ENTERPRISE', 'pro'];

/** Both ends of the retention periods, and times that bounds and records share. */
const TIMES = [
  MOMENT - 91n * DAY,
  ...TIERS.map((tier) => MOMENT - retentionOf(tier)),
  MOMENT - HOUR,
  MOMENT - MINUTE,
  MOMENT,
] as const;

const project = fc.oneof({ weight: 6, arbitrary: fc.constant('p') }, { weight: 1, arbitrary: awkwardText });

/** Few ids, so that other columns break ties; UUIDs that differ in either half. */
const id = fc.oneof(
  fc.constantFrom('00000000-0000-0001-ffff-000000000000', 'ffffffff-0000-0000-0000-000000000001'),
  fc.uuid(),
);

const jsonObject = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.jsonValue({ stringUnit: 'binary' }),
  {
    maxKeys: 4,
  },
);
const metadata = fc.oneof(
  jsonObject.map((value) => JSON.stringify(value)),
  jsonObject.map((value) => JSON.stringify(value, null, '\t')),
  jsonObject.map((value) => `\r\n ${JSON.stringify(value, null, 1)} \n`),
  jsonObject.map((value) => JSON.stringify({ ...value, big: 0 }).replace(/0\}$/, '123456789012345678901}')),
  jsonObject.map((value) => JSON.stringify({ '\uD83D': '\uDE00', ...value })),
  jsonObject.map((value) => JSON.stringify(value).slice(0, -1)),
  fc.json({ stringUnit: 'binary' }),
  awkwardText,
);

const record: fc.Arbitrary<EdgeRecord> = fc.record({
  id,
  timestamp: timeAround(...TIMES),
  project,
  event_message: awkwardText,
  metadata,
});

/** Sometimes more records than the row cap, many with the same time. */
const records = fc
  .tuple(
    fc.array(record, { maxLength: 20, size: 'max' }),
    fc.constantFrom(0, 0, 90, 130),
    timeAround(MOMENT - HOUR, MOMENT),
  )
  .map(([few, count, timestamp]) => [
    ...few,
    ...Array.from({ length: count }, (_, index) => ({
      id: `00000000-0000-000${index % 2}-000${index % 3}-000000000000`,
      timestamp: timestamp - BigInt(index % 3),
      project: 'p',
      event_message: `${index % 5}`,
      metadata: `{"n":${index}}`,
    })),
  ]);

const call = fc.record({
  now: clockAround(MOMENT),
  parameters: fc.record(
    {
      project,
      project_tier: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...TIERS) },
        { weight: 1, arbitrary: awkwardText },
      ),
      iso_timestamp_start: boundAround(MOMENT - HOUR, ...TIMES),
      iso_timestamp_end: boundAround(MOMENT - HOUR, ...TIMES),
    },
    { requiredKeys: ['project'] },
  ) satisfies fc.Arbitrary<LogsParameters>,
});

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('logs.all', clockAt(MOMENT));
});
afterAll(() => endpoint.close());

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
        async (stored, calls) => {
          await endpoint.fill(
            'edge_logs',
            stored.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
          );
          await settleAll(calls, async ({ now, parameters }) => {
            const { rows, truncated } = await endpoint.run(asSent(parameters), clockAt(now));
            expect({ rows, truncated }).toEqual(newestLogs(stored, parameters, now));
          });
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  },
  PROPERTY_TIMEOUT_MS,
);
