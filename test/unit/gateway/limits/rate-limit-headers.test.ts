import { EVERY_ROW_READER, Figures, OWN_ROWS_READER, type Reader } from '../../../../src/endpoint/figures.js';
import type { LimitState, Subject } from '../../../../src/gateway/limits/limit-state.js';
import { rateLimitHeaders } from '../../../../src/gateway/limits/rate-limit-headers.js';

const KEY: Subject = { kind: 'key', name: 'reports', rules: {} };
const ENDPOINT: Subject = { kind: 'endpoint', name: 'logs.all', rules: {} };
const state = (changes: Partial<LimitState>): LimitState => ({
  subject: KEY,
  counted: 'requests',
  quota: 600,
  window: 60,
  remaining: 599,
  resetSeconds: 12,
  ...changes,
});

const headersOf = (states: readonly LimitState[]): ReturnType<typeof rateLimitHeaders> =>
  rateLimitHeaders(states, EVERY_ROW_READER);

describe('rateLimitHeaders', () => {
  it('returns no headers without limits', () => {
    expect(headersOf([])).toEqual({});
  });

  it('states the policy and the remaining quota of each limit, and the unit unless it is requests', () => {
    const rows = state({
      counted: 'rowsRead',
      quota: 1_000_000,
      remaining: new Figures(0),
      window: 3600,
      resetSeconds: 7,
    });
    expect(headersOf([state({}), rows])).toEqual({
      'RateLimit-Policy': '"requests";q=600;w=60, "rows-read";q=1000000;qu="rows";w=3600',
      RateLimit: '"requests";r=599;t=12, "rows-read";r=0;t=7',
    });
  });

  it('prefixes the limits of the endpoint with endpoint-', () => {
    expect(headersOf([state({}), state({ subject: ENDPOINT, quota: 9, remaining: 8 })])).toEqual({
      'RateLimit-Policy': '"requests";q=600;w=60, "endpoint-requests";q=9;w=60',
      RateLimit: '"requests";r=599;t=12, "endpoint-requests";r=8;t=12',
    });
  });

  it.each<[string, Subject, Reader]>([
    ['of a sandboxed key', { ...KEY, isSandboxed: true }, EVERY_ROW_READER],
    ['of a sandboxed endpoint', { ...ENDPOINT, isSandboxed: true }, EVERY_ROW_READER],
    ['of a key', KEY, OWN_ROWS_READER],
    ['of an endpoint', ENDPOINT, OWN_ROWS_READER],
  ])('omits cost limits %s, of which the reader may not know the rest', (_what, subject, reader) => {
    const costs = (['rowsRead', 'bytesRead', 'clickhouseMs'] as const).map((counted) =>
      state({ subject, counted, remaining: new Figures(5) }),
    );
    expect(rateLimitHeaders(costs, reader)).toEqual({});
    const requests = state({ subject });
    expect(rateLimitHeaders([...costs, requests], reader)).toEqual(rateLimitHeaders([requests], reader));
  });

  it('states no window for the concurrency limit', () => {
    const concurrent: LimitState = { subject: KEY, counted: 'concurrent', quota: 4, remaining: 0 };
    expect(headersOf([concurrent])).toEqual({
      'RateLimit-Policy': '"concurrent";q=4;qu="concurrent-requests"',
      RateLimit: '"concurrent";r=0',
    });
  });
});
