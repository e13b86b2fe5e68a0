import fc from 'fast-check';

import { decimal } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

const SCALE = 9;
/** A decimal number as a whole number of billionths. */
const billionths = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n });

function written(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(SCALE + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

/** Reads a canonical value without the code under test. */
function billionthsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0')) * (text.startsWith('-') ? -1n : 1n);
}

describe('decimal', () => {
  const price = decimal({ description });

  it.each([
    ['12.50', '12.5'],
    ['012.5', '12.5'],
    ['+12.5', '12.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0.00', '0'],
    ['0', '0'],
    ['000', '0'],
    ['100', '100'],
    ['0.10', '0.1'],
  ])('converts %j to %s', (input, value) => {
    expect(valueOf(price, input)).toBe(value);
  });

  it('has one exact value for every spelling of a number', () => {
    fc.assert(
      fc.property(billionths, fc.nat({ max: 20 }), fc.nat({ max: 20 }), (value, before, after) => {
        const [sign, digits] = value < 0n ? ['-', written(-value)] : ['', written(value)];
        const read = valueOf(price, `${sign}${'0'.repeat(before)}${digits}${'0'.repeat(after)}`) as string;
        expect(billionthsOf(read)).toBe(value);
        expect(read).toMatch(/^(?:0|-?(?:0\.\d*[1-9]|[1-9]\d*(?:\.\d*[1-9])?))$/);
      }),
    );
  });

  it('compares with its bounds exactly', () => {
    fc.assert(
      fc.property(billionths, billionths, (value, bound) => {
        const least = decimal({ description, minimum: written(bound) });
        const greatest = decimal({ description, maximum: written(bound) });
        expect(problemOf(least, written(value)) === undefined).toBe(value >= bound);
        expect(problemOf(greatest, written(value)) === undefined).toBe(value <= bound);
      }),
    );
  });

  it.each(['', '.', '-', '1,5', '1e3', ' 1', '1.2.3', 'NaN', '١'])('rejects %j', (input) => {
    const required = decimal({ description, empty: 'problem' });
    expect(problemOf(required, input)).toMatch(/^must (?:be a decimal number, such as 12\.50|not be empty)$/);
  });

  it('rejects more digits than the type has, on each side of the point', () => {
    expect(problemOf(price, '0.1234567891')).toBe('must have at most 9 decimal places');
    expect(valueOf(price, '0.1234567890')).toBe('0.123456789');
    expect(problemOf(price, `1${'0'.repeat(29)}`)).toBe('must have at most 29 digits before the point');
  });

  it('says what its bounds are', () => {
    const share = decimal({ description, minimum: '-0.5', maximum: 1 });
    expect(problemOf(share, '-0.500000001')).toBe('must be at least -0.5');
    expect(problemOf(share, '1.000000001')).toBe('must be at most 1');
  });

  it.each([
    '0'.repeat(65_000) + 'x',
    `${'0'.repeat(32_000)}.${'0'.repeat(32_000)}x`,
    `0.${'0'.repeat(65_000)}1x`,
  ])('rejects a long text in linear time', (input) => {
    const startedAt = performance.now();
    expect(problemOf(price, input)).toBe('must be a decimal number, such as 12.50');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('fits every one of the types that the query binds it as', () => {
    const both = declareByKind('decimal', { description }, ['Decimal(10, 4)', 'Decimal32(2)']);
    expect(mistakesIn(both)).toEqual([]);
    expect(valueOf(both, '999999.99')).toBe('999999.99');
    expect(problemOf(both, '0.001')).toBe('must have at most 2 decimal places');
    expect(problemOf(both, '1000000')).toBe('must have at most 6 digits before the point');
  });

  it.each(['Float64', 'Decimal(x)', 'Decimal(0)', 'Decimal(77, 2)', 'Decimal(5, 6)', 'Decimal64'])(
    'reports that it cannot be bound as %s',
    (type) => {
      expect(mistakesIn(declareByKind('decimal', { description }, [type]))).toEqual([
        `the query binds it as ${type}; for kind decimal write Decimal(P, S)`,
      ]);
    },
  );

  it.each([
    [{ scale: 39 }, 'scale 39 must be a whole number from 0 to 38'],
    [{ minimum: 'few' }, 'minimum "few" must be a decimal number'],
    [{ minimum: '0.2', maximum: '0.1' }, 'no value is valid'],
    [{ default: '0.001', scale: 2 }, 'default must have at most 2 decimal places'],
    [{ default: 5, maximum: 4 }, 'default must be at most 4'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(decimal({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });
});
