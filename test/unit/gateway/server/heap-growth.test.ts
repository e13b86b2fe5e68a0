import { growthPercent } from '../../../../src/gateway/server/heap-growth.js';

const MIB = 1024 * 1024;

describe('the growth of the heap between two collections', () => {
  it.each([
    [20, 200],
    [32, 200],
    [40, 150],
    [64, 100],
    [100, 50],
    [2000, 50],
  ])('of %i MiB is at most %i %', (mib, percent) => {
    expect(growthPercent(mib * MIB)).toBe(percent);
  });
});
