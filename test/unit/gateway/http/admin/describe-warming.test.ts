import { describeWarming } from '../../../../../src/gateway/http/admin/describe-warming.js';
import type { WarmingState } from '../../../../../src/gateway/warming/warmer.js';

const STATE: WarmingState = {
  endpoint: 'sample',
  hash: 'hash',
  representation: 'json',
  parameters: { city: 'Rome' },
  uses: 5,
  warmed: undefined,
  dueAt: Date.parse('2026-05-17T10:05:03.000Z'),
};
const WARMED: WarmingState['warmed'] = {
  key: { endpointId: 'id', hash: 'hash', cachingMs: 60_000, confirmableMs: 0, staleMs: 0 },
  refreshedAt: [1000, 2000],
  createdAt: 2000,
  failures: 0,
  failedAt: 0,
  tookMs: 7,
  lastMs: 7,
  rowsRead: 8,
  bytesRead: 9,
  usesAtRefresh: 3,
};

describe('describeWarming', () => {
  it('returns null for last run and cost before the first refresh', () => {
    expect(describeWarming([STATE])).toEqual([
      {
        endpoint: 'sample',
        hash: 'hash',
        representation: 'json',
        parameters: { city: 'Rome' },
        lastRun: null,
        clickhouseMs: null,
        rowsRead: null,
        bytesRead: null,
        failures: 0,
        requests: 5,
        hitsSince: 5,
        nextRun: '2026-05-17T10:05:03.000Z',
      },
    ]);
  });

  it('returns the last refresh and the hits since', () => {
    expect(describeWarming([{ ...STATE, warmed: WARMED }])).toMatchObject([
      { lastRun: '1970-01-01T00:00:02.000Z', clickhouseMs: 7, rowsRead: 8, bytesRead: 9, hitsSince: 2 },
    ]);
  });

  it('returns null as the next run of a set that is due now', () => {
    expect(describeWarming([{ ...STATE, dueAt: 0 }])).toMatchObject([{ nextRun: null }]);
  });

  it('never returns negative hits after the count restarted', () => {
    expect(describeWarming([{ ...STATE, uses: 1, warmed: WARMED }])).toMatchObject([{ hitsSince: 0 }]);
  });
});
