import { stripVTControlCharacters } from 'node:util';

import {
  compareRows,
  isSame,
  type Comparison,
} from '../../../../src/commands/endpoint-tests/compare-rows.js';
import { differenceText } from '../../../../src/commands/endpoint-tests/difference-text.js';
import type { Row } from '../../../../src/commands/endpoint-tests/test-file.js';

const HOW: Comparison = { isOrdered: false, types: new Map([['n', 'UInt64']]) };
const row = (n: number, name = 'a'): Row => ({ name, n });

describe('two values', () => {
  it.each([
    ['UInt64', 1, 1],
    ['UInt64', '1', 1],
    ['UInt64', 18446744073709551615n, '18446744073709551615'],
    ['Decimal(9, 2)', 1.5, '1.50'],
    ['Float64', 0.1, 0.1],
    ['String', 7, '7'],
    ['Nullable(String)', null, null],
    ['DateTime64(6)', '2026-05-17T12:00:00Z', '2026-05-17T12:00:00.000000Z'],
    ['DateTime', '2026-05-17 14:00:00+02:00', '2026-05-17T12:00:00Z'],
    ['Date', '2026-05-17', '2026-05-17'],
    ['Array(UInt8)', [1, 2], [1, 2]],
    ['Map(String, UInt8)', { b: 1, a: 2 }, { a: 2, b: 1 }],
  ])('of %s are the same: %p and %p', (type, expected, came) => {
    expect(isSame(expected, came, { type })).toBe(true);
  });

  it.each([
    ['UInt64', 9007199254740993n, '9007199254740992'],
    ['Float64', 0.1, 0.10000000000000002],
    ['String', '1', '1.0'],
    ['String', '', null],
    ['Nullable(UInt8)', 0, null],
    ['DateTime64(6)', '2026-05-17T12:00:00Z', '2026-05-17T12:00:00.000001Z'],
    ['Array(UInt8)', [1, 2], [2, 1]],
    ['Array(UInt8)', [], {}],
    ['Map(String, UInt8)', { a: 1 }, { a: 1, b: 2 }],
    ['UInt8', undefined, 0],
    ['Array(String)', ['007'], ['7']],
    ['Map(String, LowCardinality(String))', { a: '1' }, { a: '1.0' }],
    ['Tuple(a String, b Float64)', { a: '1.0', b: 1 }, { a: '1', b: 1 }],
    ['Array(Tuple(UInt8, String))', [[1, '7']], [[1, '07']]],
  ])('of %s differ: %p and %p', (type, expected, came) => {
    expect(isSame(expected, came, { type })).toBe(false);
  });

  it('are the same within the tolerance, and not beyond', () => {
    expect(isSame(1, 1.25, { type: 'Float64', tolerance: 0.25 })).toBe(true);
    expect(isSame(1, 1.26, { type: 'Float64', tolerance: 0.25 })).toBe(false);
    expect(isSame(1, 2, { type: 'UInt8', tolerance: 1 })).toBe(true);
    const [most, less] = ['18446744073709551615', '18446744073709551000'];
    expect(isSame(most, less, { type: 'UInt64', tolerance: 1 })).toBe(false);
    expect(isSame(most, less, { type: 'UInt64', tolerance: 615 })).toBe(true);
    expect(isSame(less, most, { type: 'UInt64', tolerance: 614 })).toBe(false);
    expect(isSame('-0.3', '-.31', { type: 'Decimal(38, 9)', tolerance: 0.01 })).toBe(true);
    expect(isSame('1', '+1.00000011', { type: 'Decimal(38, 9)', tolerance: 1e-7 })).toBe(false);
    expect(isSame('1', '1e1', { type: 'Decimal(38, 9)', tolerance: 9 })).toBe(true);
    const type = 'Array(Tuple(Date, Float64))';
    expect(isSame([['2026-05-17', 1]], [['2026-05-17', 1.1]], { type, tolerance: 0.2 })).toBe(true);
    expect(isSame([['2026-05-17', 1]], [['2026-05-18', 1]], { type, tolerance: 0.2 })).toBe(false);
  });
});

describe('rows', () => {
  it('are the same in any order, each as often as it is expected', () => {
    expect(compareRows([row(1), row(2), row(2)], [row(2), row(1), row(2)], HOW).differences).toEqual([]);
    expect(compareRows([row(1), row(2)], [row(1), row(1)], HOW)).toEqual({
      differences: [{ expected: row(2), came: row(1) }],
      same: 1,
      isOtherOrder: false,
    });
  });

  it('that are ordered differ in another order', () => {
    const ordered = { ...HOW, isOrdered: true };
    expect(compareRows([row(1), row(2)], [row(1), row(2)], ordered).differences).toEqual([]);
    expect(compareRows([row(1), row(2), row(3)], [row(1), row(3), row(2)], ordered)).toMatchObject({
      same: 1,
      isOtherOrder: true,
    });
  });

  it('differ where one lacks a column, or has one more', () => {
    expect(compareRows([{ n: 1 }], [{ n: 1, m: null }], HOW).differences).toHaveLength(1);
    expect(compareRows([{ n: 1, m: null }], [{ n: 1 }], HOW).differences).toHaveLength(1);
    expect(compareRows([{ n: 1 }], [{ n: 1, m: 2 }], { ...HOW, only: ['n'] }).differences).toEqual([]);
  });

  it('that are missing are paired with the most similar that came', () => {
    const { differences } = compareRows(
      [row(1, 'a'), row(2, 'b')],
      [row(3, 'b'), row(4, 'c'), row(5, 'a')],
      HOW,
    );
    expect(differences).toEqual([
      { expected: row(1, 'a'), came: row(5, 'a') },
      { expected: row(2, 'b'), came: row(3, 'b') },
      { came: row(4, 'c') },
    ]);
  });
});

describe('the text of a difference', () => {
  const textOf = (expected: readonly Row[], came: readonly Row[], how: Comparison = HOW): readonly string[] =>
    stripVTControlCharacters(differenceText(compareRows(expected, came, how), how)).split('\n');

  it('shows a changed row once in full, and what came only where it differs', () => {
    expect(textOf([row(1), row(2, 'b')], [row(3), row(2, 'b')])).toEqual([
      'the rows differ (- expected, + came):',
      '   name  n',
      '-  a     1',
      '+  =     3',
      '1 other row is as expected',
    ]);
  });

  it('shows of wide rows the columns that differ, and a few others', () => {
    const wide = (last: number): Row =>
      Object.fromEntries([...Array(30).keys()].map((at) => [`c${at}`, at === 29 ? last : at]));
    expect(textOf([wide(1)], [wide(2)])[1]).toBe('   c0  c1  c2  c3  c4  c5  c29');
  });

  it('shows at most twenty rows, long texts cut, and no control characters', () => {
    const rows = [...Array(25).keys()].map((n) => ({ n, text: `\u{1b}[2J${'x'.repeat(60)}` }));
    const lines = textOf([], rows);
    expect(lines).toHaveLength(24);
    expect(lines).toContain('… and 5 more');
    expect(lines[2]).toBe(`+  0   \\x1b[2J${'x'.repeat(33)}…`);
  });

  it('says that rows are only in another order', () => {
    expect(textOf([row(1), row(2)], [row(2), row(1)], { ...HOW, isOrdered: true })[0]).toBe(
      'the rows come in another order (- expected, + came):',
    );
  });
});
