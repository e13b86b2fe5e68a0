import { defineEndpoint } from '../../../../../src/endpoint/endpoint.js';
import { column, sql, timestamp } from '../../../../../src/endpoint/index.js';
import { bindCall } from '../../../../../src/gateway/query/endpoint-query.js';
import { requestOf } from '../../../../../src/gateway/query/fetch-result.js';
import {
  conditionOf,
  isDivided,
  isInside,
  isOneAfterAnother,
  rangeCallOf,
  spansOf,
  type RangeCall,
} from '../../../../../src/gateway/query/pieces/range.js';
import { EVERY_ROW } from '../../../../../src/gateway/query/row-scope.js';
import { SAMPLE } from '../../../../support/sample-endpoint.js';

const PARAMETERS = { from: timestamp({ description: 'A.' }), to: timestamp({ description: 'A.' }) };
const FROM_INCLUDED = { isFromExcluded: false };
const FROM_EXCLUDED = { isFromExcluded: true };

/** A call whose range has these ends, as they are bound. */
function rangeOf(from: string | null, to: string | null): RangeCall {
  const endpoint = defineEndpoint({
    ...SAMPLE,
    caching: 'until-changed',
    parameters: PARAMETERS,
    columns: { hour: column('DateTime', 'An hour.') },
    example: {},
    pieces: { table: 't', time: 'time', bucket: 'hour', from: 'from', to: 'to' },
    build: ({ from: begin, to: end }) => sql`SELECT hour FROM t WHERE time >= ${begin} AND time < ${end}`,
  });
  const call = {
    ...{ endpoint, scope: EVERY_ROW, requestId: 'request', demand: 'any' as const },
    values: new Map([
      ['from', from],
      ['to', to],
    ]),
    signal: new AbortController().signal,
  };
  const range = rangeCallOf(call, bindCall(call), (bound, data) => requestOf(call, bound, new Date(0), data));
  if (!range) throw new Error('the call has no range');
  return range;
}

/** A partition with rows from the second 10 to the second 19 of 1970. */
const PARTITION = { id: 'p', hash: 'h', since: 10, until: 19 };
const at = (seconds: string): string => `1970-01-01 00:00:${seconds}`;

describe('a partition', () => {
  it.each([
    ['at both ends', at('10.000000'), at('20.000000'), true],
    ['without ends', null, null, true],
    ['a millisecond after its first second begins', at('10.001000'), at('20.000000'), false],
    ['a microsecond after its first second begins', at('10.000001'), at('20.000000'), false],
    // Its last row may be of any time of its last second.
    ['a microsecond before its last second ends', at('10.000000'), at('19.999999'), false],
  ])('is inside a range: %s', (_what, from, to, expected) => {
    expect(isInside({ partition: PARTITION }, rangeOf(from, to), FROM_INCLUDED)).toBe(expected);
  });

  it.each([
    [at('10.000000'), false],
    [at('09.999999'), true],
  ])('is inside a range that begins after %s', (from, expected) => {
    expect(isInside({ partition: PARTITION }, rangeOf(from, null), FROM_EXCLUDED)).toBe(expected);
  });
});

describe('a range that begins within a partition', () => {
  const days = [
    { id: 'a', hash: 'h', since: 3600, until: 86_399 },
    { id: 'b', hash: 'h', since: 86_400, until: 90_000 },
  ];
  const [first = PARTITION, second = PARTITION] = days;
  const isoOf = (seconds: number): string =>
    new Date(seconds * 1000).toISOString().replace('T', ' ').replace('Z', '000');

  it.each([
    ['a second after an hour', 7201, [{ before: 10_800 }, { since: 10_800 }]],
    ['at an hour', 7200, [{ since: 7200 }]],
    ['before its rows', 3599, [{}]],
    ['in the hour of its last row', 86_300, [{}]],
  ])('divides it at the next hour: %s', (_what, from, expected) => {
    const range = rangeOf(isoOf(from), null);
    expect(spansOf(range, days, FROM_INCLUDED)).toEqual([
      ...expected.map((ends) => ({ partition: first, ...ends })),
      { partition: second },
    ]);
  });

  it('has rows after the hour that are the same for every begin in it', () => {
    const isKept = spansOf(rangeOf(isoOf(7201), null), days, FROM_INCLUDED).map((span) =>
      isInside(span, rangeOf(isoOf(7201), null), FROM_INCLUDED),
    );
    expect(isKept).toEqual([false, true, true]);
    const [atHour = { partition: first }] = spansOf(rangeOf(isoOf(7200), null), days, FROM_EXCLUDED);
    expect(isInside(atHour, rangeOf(isoOf(7200), null), FROM_EXCLUDED)).toBe(false);
  });

  it('reads the rows of each side', () => {
    const range = rangeOf(isoOf(7201), null);
    const spans = spansOf(range, days, FROM_INCLUDED);
    expect(conditionOf(range, spans)).toBe(
      [
        "_partition_id = 'a' AND `time` < toDateTime(10800, 'UTC')",
        "_partition_id = 'a' AND `time` >= toDateTime(10800, 'UTC')",
        "_partition_id = 'b'",
      ].join(' OR '),
    );
  });
});

describe('partitions', () => {
  const partition = (since: number, until: number): typeof PARTITION => ({ ...PARTITION, since, until });

  it.each([
    ['are divided', [partition(1, 2), partition(3, 9)], true],
    ['are not divided where one has a second of another', [partition(1, 3), partition(3, 9)], false],
    ['are not divided where there is one', [partition(1, 3)], false],
    [
      'are not divided where there are more than 400',
      Array.from({ length: 401 }, (_, index) => partition(index, index)),
      false,
    ],
  ])('%s', (_what, partitions, expected) => {
    expect(isDivided(partitions, partitions)).toBe(expected);
  });
});

describe('the buckets of pieces', () => {
  const bucket = (isDescending: boolean): Parameters<typeof isOneAfterAnother>[1] => ({
    ...{ name: 'hour', type: 'DateTime', isNullable: false, parameter: 'after_1', areNullsFirst: false },
    isDescending,
  });
  const piece = (first?: string, last = first): { isOrdered: boolean; first?: string; last?: string } => ({
    isOrdered: true,
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
  });

  it.each([
    ['rise', [piece('1', '2'), piece(), piece('3')], false, true],
    ['fall', [piece('3'), piece('2', '1')], true, true],
    ['are one of two pieces', [piece('1', '2'), piece('2', '3')], false, false],
    [
      'are one of two pieces, with one without rows between',
      [piece('1', '2'), piece(), piece('2')],
      false,
      false,
    ],
    ['fall where they should rise', [piece('3'), piece('1')], false, false],
    ['have no order', [{ ...piece('1', '2'), isOrdered: false }], false, false],
  ])('%s', (_what, pieces, isDescending, expected) => {
    expect(isOneAfterAnother(pieces, bucket(isDescending))).toBe(expected);
  });
});
