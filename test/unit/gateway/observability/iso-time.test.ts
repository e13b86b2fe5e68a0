import { isoTime } from '../../../../src/gateway/observability/iso-time.js';

describe('isoTime', () => {
  it('writes what toISOString writes, whatever the times before', () => {
    const times = [0, 999, 1000, 1, 1_779_012_303_120, 1_779_012_303_007, 1_779_012_304_000, -1, -1000, -999];
    for (const ms of times) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
  });
});
