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
import { openEndpoint } from './endpoint-under-test.js';
import { column, messagesOf, record, TABLE } from './logs-all.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const TIERS = ['FREE', 'PRO', 'PAYG', 'ENTERPRISE', 'pro'];

/** Both ends of the retention periods, and times that bounds and records share. */
const TIMES = [
  MOMENT - 91n * DAY,
  ...TIERS.map((tier) => MOMENT - retentionOf(tier)),
  // The first day that is read, from the clock and from the end times below.
  MOMENT - HOUR - DAY,
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

const anyRecord: fc.Arbitrary<EdgeRecord> = fc.record({
  id,
  timestamp: timeAround(...TIMES),
  project,
  event_message: awkwardText,
  metadata,
});

/**
 * Sometimes more records than the row cap, many with the same time. Then no two have the same time and id, which are the
 * order of the pages.
 */
const records = fc
  .tuple(
    fc.array(anyRecord, { maxLength: 20, size: 'max' }),
    fc.constantFrom(0, 0, 90, 130),
    timeAround(MOMENT - HOUR, MOMENT, MOMENT - DAY, MOMENT - HOUR - DAY),
    // How far apart they are: ties of one time, or rows of several hours or days.
    fc.constantFrom(1n, 1n, MINUTE, HOUR),
  )
  .map(([few, count, timestamp, step]) => [
    ...(count === 0 ? few : [...new Map(few.map((one) => [`${one.timestamp} ${one.id}`, one])).values()]),
    ...Array.from({ length: count }, (_, index) => ({
      id: `00000000-0000-000${index % 2}-000${index % 3}-${String(index).padStart(12, '0')}`,
      timestamp: timestamp - BigInt(step === 1n ? index % 3 : index) * step,
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

const EMPTY = { id: '00000000-0000-0001-ffff-000000000000', project: 'p', event_message: '', metadata: '{}' };

const endpoint = openForAll(() => openEndpoint('logs.all', clockAt(MOMENT)));

const messages = (parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
  messagesOf(endpoint, parameters);

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
        async (stored, calls) => {
          await endpoint.fill(
            TABLE,
            stored.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
          );
          await settleAll(calls, async ({ now, parameters }) => {
            const { rows, truncated } = await endpoint.run(asSent(parameters), clockAt(now));
            expect({ rows, truncated }).toEqual(newestLogs(stored, parameters, now));
          });
        },
      ),
      {
        numRuns: PROPERTY_RUNS,
        // The row cap, and a row on either side of it.
        examples: [99, 100, 101].map((count) => [
          Array.from({ length: count }, (_, index) => ({ ...EMPTY, timestamp: MOMENT - BigInt(index) })),
          [{ now: MOMENT, parameters: { project: EMPTY.project } }],
        ]),
      },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

describe('rows', () => {
  it('returns id, timestamp, message and metadata, and nothing else', async () => {
    await endpoint.fill(TABLE, [
      record({
        id: '0F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0',
        timestamp: '2096-02-29T23:59:59.000120Z',
        event_message: 'GET "/" → 200\n\t\\',
        metadata: { request: { url: 'https://aurora.example/' } },
      }),
    ]);
    const { text } = await endpoint.run({ project: 'aurora' });
    expect(text).toBe(
      '{"result":[{"id":"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","timestamp":"2096-02-29T23:59:59.000120Z",' +
        '"event_message":"GET \\"/\\" → 200\\n\\t\\\\","metadata":{"request":{"url":"https://aurora.example/"}}}]}',
    );
  });

  it('generates an id for a record without one', async () => {
    await endpoint.fill(TABLE, [record({}), record({})]);
    const ids = column(await endpoint.rows({ project: 'aurora' }), 'id');
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){4}[0-9a-f]{8}$/);
  });

  it('returns only edge request logs', async () => {
    const others = [
      'database',
      'function_relay',
      'function_event',
      'auth',
      'realtime',
      'storage',
      'rest',
      'pooler',
    ];
    for (const other of others) await endpoint.fill(`${other}_logs`, [record({ event_message: other })]);
    await endpoint.fill(TABLE, [record({ event_message: 'edge' })]);
    expect(await messages({})).toEqual(['edge']);
    await endpoint.fill(TABLE, []);
    expect(await messages({})).toEqual([]);
  });

  it('returns a body of valid UTF-8 for a message and metadata that are not valid UTF-8', async () => {
    await endpoint.fill(TABLE, []);
    await endpoint.database.client.command({
      query: `
        INSERT INTO ${TABLE} (project, timestamp, event_message, metadata)
        SELECT 'aurora', '2096-03-01', unhex('61FF62C328'), concat('{"a":"', unhex('FE'), '"}')`,
    });
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([
      { event_message: 'a\ufffdb\ufffd(', metadata: { raw: '{"a":"\ufffd"}' } },
    ]);
  });
});
