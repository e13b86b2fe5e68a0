import * as fc from 'fast-check';

import {
  EQUALITY_COLUMNS,
  GROUP_COLUMNS,
  groupedEvents,
  type CustomEvent,
  type EventsParameters,
} from '../../support/models/get-grouped-stats-events-logs.js';
import { clockAt, DAY, microsOf, printMicros } from '../../support/models/time.js';
import { settleAll } from '../../support/settle-all.js';
import {
  asSent,
  boundAround,
  fewOf,
  awkwardText,
  nullableText,
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MS,
  searchableText,
  timeAround,
} from './arbitraries.js';
import { openEndpoint, type EndpointUnderTest } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-02-29T00:00:00Z');
const TIMES = [MOMENT - 7n, MOMENT, MOMENT + 1_000n, MOMENT + DAY] as const;

const eventType = fc.oneof(
  fc.constantFrom('view', 'unique_view', 'click', 'unique_click', 'url_redirect'),
  awkwardText,
);

const anyOf = <Name extends string, Value>(
  names: readonly Name[],
  value: fc.Arbitrary<Value>,
): Record<Name, fc.Arbitrary<Value>> =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, fc.Arbitrary<Value>>;

const grouped = { ...anyOf(GROUP_COLUMNS, nullableText), event_type: fc.option(eventType) };
const ungrouped = { timestamp: timeAround(...TIMES), event_message: searchableText };

const event: fc.Arbitrary<CustomEvent> = fc.record({
  ...anyOf(EQUALITY_COLUMNS, nullableText),
  ...grouped,
  ...ungrouped,
});

/** Families of events: of one group, or of groups that differ in a single column. */
const events = fc
  .array(
    fc.tuple(
      event,
      fc.array(fc.tuple(fc.record(ungrouped), fewOf(grouped, 1)), { maxLength: 6, size: 'max' }),
    ),
    {
      maxLength: 12,
      size: 'max',
    },
  )
  .map((families) =>
    families.flatMap(([first, others]) => [
      first,
      ...others.map(([own, column]) => ({ ...first, ...own, ...column })),
    ]),
  );

const filters = fewOf(
  {
    ...anyOf(EQUALITY_COLUMNS, awkwardText),
    search_term: searchableText,
    event_ids: fc.array(awkwardText, { minLength: 1, maxLength: 4 }).map((ids) => ids.join()),
    start_time: boundAround(...TIMES),
    end_time: boundAround(...TIMES),
  },
  2,
);
const types = fc.record(
  { event_type: eventType, include_unique: fc.constantFrom('true', 'true', 'false', 'TRUE', '') },
  { requiredKeys: [] },
);
const parameters: fc.Arbitrary<EventsParameters> = fc.oneof(
  filters,
  types,
  fc.tuple(filters, types).map(([some, others]) => ({ ...some, ...others })),
);

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('get-grouped-stats-events-logs', clockAt(MOMENT));
});
afterAll(() => endpoint.close());

it(
  'returns the rows of the model for any records and any parameters',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.array(parameters, { minLength: 1, maxLength: 16, size: 'max' }),
        async (records, calls) => {
          await endpoint.fill(
            'custom_events',
            records.map((fields) => ({ ...fields, timestamp: printMicros(fields.timestamp) })),
          );
          await settleAll(calls, async (call) => {
            expect(await endpoint.rows(asSent(call))).toEqual(groupedEvents(records, call));
          });
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  },
  PROPERTY_TIMEOUT_MS,
);
