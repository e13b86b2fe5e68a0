import { RecentFailures, type RecentFailure } from '../../../../src/gateway/observability/recent-failures.js';

const failure = (time: number, status: number): RecentFailure => ({
  time: new Date(time).toISOString(),
  requestId: `request-${time}`,
  endpoint: undefined,
  status,
  code: 'CODE',
  key: undefined,
  diagnosis: undefined,
  cause: undefined,
});

describe('RecentFailures', () => {
  it('lists the newest failure first', () => {
    const failures = new RecentFailures();
    for (const [time, status] of [
      [1, 500],
      [2, 404],
      [3, 502],
    ] as const) {
      failures.note(failure(time, status));
    }
    expect(failures.all().map(({ status }) => status)).toEqual([502, 404, 500]);
  });

  it('retains the last 100 rejections, and a flood of them does not displace a fault', () => {
    const failures = new RecentFailures();
    failures.note(failure(0, 502));
    for (let time = 1; time <= 500; time++) failures.note(failure(time, 401));
    const all = failures.all();
    expect(all).toHaveLength(101);
    expect(all.at(-1)?.status).toBe(502);
    expect(all[0]?.requestId).toBe('request-500');
  });
});
