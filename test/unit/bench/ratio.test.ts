import { formatRatio } from '../../../bench/gateway/ratio.js';

describe('formatRatio', () => {
  it('divides the figures of the same round, and prints the median with the smallest and largest', () => {
    expect(formatRatio([10, 30, 20], [20, 10, 20])).toBe('1.00 (0.50–3.00)');
  });

  it('prints ratios from 10 without decimals', () => {
    expect(formatRatio([123.4], [10])).toBe('12 (12–12)');
  });
});
