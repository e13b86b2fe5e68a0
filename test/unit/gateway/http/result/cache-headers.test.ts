import { EVERY_ROW_READER, OWN_ROWS_READER, type Reader } from '../../../../../src/endpoint/figures.js';
import { cacheDemandOf, cacheHeaders } from '../../../../../src/gateway/http/result/cache-headers.js';
import type { CallOutcome } from '../../../../../src/gateway/query/call.js';
import { costOf } from '../../../../support/fake-run-query.js';

const CREATED = 1_000_000;

/** An outcome whose result is fresh for a minute. */
function outcomeOf(status: CallOutcome['status'], facts: Partial<CallOutcome> = {}): CallOutcome {
  return {
    result: {
      createdAt: CREATED,
      expiresAt: CREATED + 60_000,
      digest: 'digest',
      rowCount: 0,
      truncated: false,
      cost: costOf({}),
      bodies: { identity: Buffer.from('') },
    },
    status,
    isStored: true,
    isCollapsed: false,
    ...facts,
  };
}

/** The headers by name. */
function headersOf(
  outcome: CallOutcome,
  caching: number | 'disabled',
  now: number,
  reader: Reader = EVERY_ROW_READER,
): Readonly<Record<string, string>> {
  const list = cacheHeaders(outcome, caching, now, reader);
  return Object.fromEntries(
    list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? ''] as const] : [])),
  );
}

describe('cacheHeaders', () => {
  it.each([
    ['HIT', {}, 'querygate; hit; ttl=50'],
    ['MISS', {}, 'querygate; fwd=miss; stored; ttl=50'],
    ['MISS', { isCollapsed: true }, 'querygate; fwd=miss; stored; collapsed; ttl=50'],
    ['MISS', { replacesExpired: true }, 'querygate; fwd=stale; stored; ttl=50'],
    ['MISS', { isStored: false }, 'querygate; fwd=miss; ttl=50'],
    ['BYPASS', {}, 'querygate; fwd=request; stored; ttl=50'],
  ] as const)('describes %s %j as RFC 9211 does: %s', (status, facts, cacheStatus) => {
    expect(headersOf(outcomeOf(status, facts), 60, CREATED + 10_000)).toEqual({
      'X-Cache': status,
      'Cache-Status': cacheStatus,
      Age: '10',
      'Cache-Control': 'private, max-age=50',
    });
  });

  it.each([
    [
      EVERY_ROW_READER,
      { kept: 6, of: 8, areDays: true },
      'querygate; fwd=miss; stored; ttl=50; detail="6 of 8 days"',
    ],
    [EVERY_ROW_READER, { kept: 1, of: 2 }, 'querygate; fwd=miss; stored; ttl=50; detail="1 of 2 partitions"'],
    // What did not change in the whole table is nothing for a caller who sees its own rows.
    [OWN_ROWS_READER, { kept: 6, of: 8, areDays: true }, 'querygate; fwd=miss; stored; ttl=50'],
  ] as const)('says to %j of which pieces %j a result was composed: %s', (reader, pieces, cacheStatus) => {
    const outcome = outcomeOf('PARTIAL');
    const composed = { ...outcome, result: { ...outcome.result, pieces } };
    expect(headersOf(composed, 60, CREATED + 10_000, reader)).toMatchObject({
      'X-Cache': 'PARTIAL',
      'Cache-Status': cacheStatus,
    });
  });

  it.each([
    ['MISS', 60, 'querygate; fwd=miss; detail=partial'],
    ['BYPASS', 60, 'querygate; fwd=request; detail=partial'],
    ['BYPASS', 'disabled', 'querygate; fwd=bypass; detail=partial'],
  ] as const)('sends no-store with a partial %s (caching: %s)', (status, caching, cacheStatus) => {
    const { result } = outcomeOf(status);
    const partial = outcomeOf(status, { result: { ...result, partial: true } });
    expect(headersOf(partial, caching, CREATED + 10_000)).toEqual({
      'X-Cache': status,
      'Cache-Status': cacheStatus,
      'Cache-Control': 'no-store',
    });
  });

  it('says to a caller of every row that ClickHouse confirmed the result, and counts Age from then', () => {
    const { result } = outcomeOf('HIT');
    const data = { version: 'v', confirmedAt: CREATED + 30_000 };
    const confirmed = outcomeOf('HIT', { result: { ...result, data } });
    const now = CREATED + 35_000;
    expect(headersOf(confirmed, 60, now)).toMatchObject({
      'Cache-Status': 'querygate; hit; ttl=25; detail=confirmed',
      Age: '5',
    });
    expect(headersOf(confirmed, 60, now, OWN_ROWS_READER)).toMatchObject({
      'Cache-Status': 'querygate; hit; ttl=25',
      Age: '5',
    });
  });

  it('sends a negative ttl and max-age=0 with a stale response', () => {
    expect(headersOf(outcomeOf('STALE'), 60, CREATED + 90_000)).toEqual({
      'X-Cache': 'STALE',
      'Cache-Status': 'querygate; hit; ttl=-30; detail=stale-if-error',
      Age: '90',
      'Cache-Control': 'private, max-age=0',
    });
  });

  it('rounds the remaining time down to whole seconds', () => {
    const { Age, ...headers } = headersOf(outcomeOf('HIT'), 60, CREATED + 59_001);
    expect([Age, headers['Cache-Control']]).toEqual(['59', 'private, max-age=0']);
  });

  it('sends no negative age when another gateway’s clock is ahead', () => {
    expect(headersOf(outcomeOf('HIT'), 60, CREATED - 5000)['Age']).toBe('0');
  });

  it('never sends a lifetime above the endpoint’s', () => {
    expect(headersOf(outcomeOf('HIT'), 60, CREATED - 5000)).toMatchObject({
      'Cache-Status': 'querygate; hit; ttl=60',
      'Cache-Control': 'private, max-age=60',
    });
  });

  it('sends no-store when caching is disabled', () => {
    expect(headersOf(outcomeOf('BYPASS'), 'disabled', CREATED)).toEqual({
      'X-Cache': 'BYPASS',
      'Cache-Status': 'querygate; fwd=bypass',
      'Cache-Control': 'no-store',
    });
  });
});

describe('cacheDemandOf', () => {
  it.each([
    [undefined, 'any'],
    ['', 'any'],
    ['max-age=0', 'any'],
    ['no-store', 'any'],
    ['no-cachet', 'any'],
    ['no-cache', 'fresh'],
    ['max-age=0, No-Cache', 'fresh'],
    ['only-if-cached', 'only-cached'],
    ['max-stale,only-if-cached', 'only-cached'],
    ['no-cache, only-if-cached', 'only-cached'],
  ])('reads Cache-Control: %s as %s', (cacheControl, demand) => {
    expect(cacheDemandOf(cacheControl)).toBe(demand);
  });
});
