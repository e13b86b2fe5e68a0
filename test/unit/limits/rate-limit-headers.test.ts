import type { LimitState, Subject } from '../../../src/limits/limit-state.js';
import { rateLimitHeaders } from '../../../src/limits/rate-limit-headers.js';

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

describe('rateLimitHeaders', () => {
  it('returns no headers without limits', () => {
    expect(rateLimitHeaders([])).toEqual({});
  });

  it('states the policy and the remaining quota of each limit, and the unit unless it is requests', () => {
    const rows = state({
      counted: 'rowsRead',
      quota: 1_000_000,
      remaining: 0,
      window: 3600,
      resetSeconds: 7,
    });
    expect(rateLimitHeaders([state({}), rows])).toEqual({
      'RateLimit-Policy': '"requests";q=600;w=60, "rows-read";q=1000000;qu="rows";w=3600',
      RateLimit: '"requests";r=599;t=12, "rows-read";r=0;t=7',
    });
  });

  it('prefixes the limits of the endpoint with endpoint-', () => {
    expect(rateLimitHeaders([state({}), state({ subject: ENDPOINT, quota: 9, remaining: 8 })])).toEqual({
      'RateLimit-Policy': '"requests";q=600;w=60, "endpoint-requests";q=9;w=60',
      RateLimit: '"requests";r=599;t=12, "endpoint-requests";r=8;t=12',
    });
  });

  it.each([KEY, ENDPOINT])('omits cost limits of a sandboxed $kind', (plain) => {
    const subject = { ...plain, isSandboxed: true };
    const costs = (['rowsRead', 'bytesRead', 'clickhouseMs'] as const).map((counted) =>
      state({ subject, counted }),
    );
    expect(rateLimitHeaders(costs)).toEqual({});
    expect(rateLimitHeaders([...costs, state({ subject })])).toEqual(rateLimitHeaders([state({ subject })]));
  });

  it('states no window for the concurrency limit', () => {
    const concurrent: LimitState = { subject: KEY, counted: 'concurrent', quota: 4, remaining: 0 };
    expect(rateLimitHeaders([concurrent])).toEqual({
      'RateLimit-Policy': '"concurrent";q=4;qu="concurrent-requests"',
      RateLimit: '"concurrent";r=0',
    });
  });
});
