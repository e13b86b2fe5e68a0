import { fitColumns } from '../../../../src/commands/cli/fit-columns.js';

const NONE = { whole: new Set<number>(), least: 8 };

describe('fitColumns', () => {
  it.each([
    ['keeps what fits', [5, 10, 3], 22, NONE, [5, 10, 3]],
    ['cuts the widest first', [5, 30, 20], 40, NONE, [5, 16, 15]],
    ['does not cut columns that must be whole', [30, 30], 50, { whole: new Set([0]), least: 8 }, [30, 18]],
    ['leaves out the last where cutting is not enough', [30, 9, 30, 30], 24, NONE, [13, 9]],
    ['keeps one column, however narrow the terminal is', [30, 30], 4, NONE, [4]],
  ])('%s', (_what, natural, available, cuts, expected) => {
    expect(fitColumns(natural, available, cuts)).toEqual(expected);
  });
});
