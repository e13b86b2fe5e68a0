import { each, same, type Promises } from './promises.js';

const WHOLE = 'must be a whole number, such as 42 or -7';
const NUMBER = 'must be a number, such as 0.5 or -1e3';
const powerOf2 = (exponent: bigint): string => String(2n ** exponent);

/** The kinds of numbers and truth values. */
export const NUMBERS = {
  integer: {
    values: [
      ['01', '1'],
      ['+1', '1'],
      ['-0', '0'],
      ...same(['-9223372036854775808', '9007199254740993', '9223372036854775807']),
      ...same(['9007199254740993'], { minimum: '9007199254740993', maximum: 9007199254740995n }),
    ],
    problems: [
      ...each(['1.0', '1e3', ' 1', '0x10', '--1', '١', '+', '1n'], WHOLE),
      ...each(['0', '101', powerOf2(80n)], 'must be a whole number between 1 and 100', {
        minimum: 1,
        maximum: 100,
      }),
      [
        '9007199254740992',
        'must be a whole number between 9007199254740993',
        { minimum: '9007199254740993' },
      ],
      [powerOf2(63n), 'must be a whole number between -9223372036854775808 and'],
    ],
    mistakes: [
      [{ minimum: 1.5 }, 'minimum 1.5 must be a whole number, in quotes beyond 2^53'],
      [{ maximum: 2 ** 53 }, 'maximum 9007199254740992 must be a whole number, in quotes beyond 2^53'],
      [{ minimum: [5] }, 'minimum is'],
      [{ minimum: 2, maximum: 1 }, 'no value is valid: minimum and maximum must leave some'],
      [{ default: 0, minimum: 1 }, 'default must be a whole number between 1 and 9223372036854775807'],
      [{ default: 1.5 }, `default ${WHOLE}`],
    ],
    types: [
      [['UInt8'], ['0', '255'], ['-1', '256']],
      [
        ['UInt8', 'Int64'],
        ['0', '255'],
        ['-1', '256'],
      ],
      [
        ['Int8', 'UInt8'],
        ['0', '127'],
        ['-1', '128'],
      ],
      [['UInt64'], ['0', '18446744073709551615'], ['-1', '18446744073709551616']],
      [['Int128'], [`-${powerOf2(127n)}`], [powerOf2(127n)]],
      [['UInt256'], ['0'], ['-1', powerOf2(256n)]],
    ],
    otherTypes: ['String', 'Float64', 'UInt7', 'Int64(3)', 'DateTime'],
  },
  number: {
    values: [
      ['0.50', '0.5'],
      ['.5', '0.5'],
      ['1.', '1'],
      ['+1', '1'],
      ['5e-1', '0.5'],
      ['-0', '0'],
      ['0e999', '0'],
    ],
    problems: [
      ...each(['NaN', 'Infinity', '-inf', '1,5', '0x1', '.', 'e5', ' 1', '1_000', '---'], NUMBER),
      // In linear time.
      [`${'1'.repeat(65_000)}x`, NUMBER],
      ['1.0000001', 'must be a number between 0 and 1', { minimum: 0, maximum: 1 }],
      ['1e400', 'must be a number between -1.79'],
    ],
    mistakes: [
      [{ minimum: '1' }, 'minimum "1" must be a number'],
      [{ minimum: 2, maximum: 1 }, 'no value is valid'],
      [{ default: 2, maximum: 1 }, 'default must be a number between'],
    ],
    types: [[['Float64', 'Float32'], ['1e38'], ['1e39']]],
    otherTypes: ['Int64'],
  },
  boolean: {
    values: [
      ['true', 'true'],
      ['1', 'true'],
      ['false', 'false'],
      ['0', 'false'],
    ],
    problems: each(['yes', 'TRUE', 'null', ' '], 'must be true or false'),
    mistakes: [[{ default: 'no' }, 'default must be true or false']],
    types: [[['Bool'], ['1'], ['2']]],
    otherTypes: ['UInt8'],
    ofEmpty: 'must be one of true, false',
  },
  decimal: {
    values: [
      ['012.50', '12.5'],
      ['+12.5', '12.5'],
      ['.5', '0.5'],
      ['5.', '5'],
      ['-0.00', '0'],
      ['000', '0'],
      ['100', '100'],
      ['0.1234567890', '0.123456789'],
    ],
    problems: [
      ...each(['.', '-', '1,5', '1e3', ' 1', '1.2.3', 'NaN', '١'], 'must be a decimal number, such as 12.50'),
      // In linear time.
      ...each(
        [
          `${'0'.repeat(65_000)}x`,
          `${'0'.repeat(32_000)}.${'0'.repeat(32_000)}x`,
          `0.${'0'.repeat(65_000)}1x`,
        ],
        'must be a decimal number, such as 12.50',
      ),
      ['0.1234567891', 'must have at most 9 decimal places'],
      [`1${'0'.repeat(29)}`, 'must have at most 29 digits before the point'],
      ['-0.500000001', 'must be at least -0.5', { minimum: '-0.5' }],
      ['1.000000001', 'must be at most 1', { maximum: 1 }],
    ],
    mistakes: [
      [{ scale: 39 }, 'scale 39 must be a whole number from 0 to 38'],
      [{ minimum: 'few' }, 'minimum "few" must be a decimal number'],
      [{ minimum: '0.2', maximum: '0.1' }, 'no value is valid'],
      [{ default: '0.001', scale: 2 }, 'default must have at most 2 decimal places'],
    ],
    types: [[['Decimal(10, 4)', 'Decimal32(2)'], ['999999.99'], ['0.001', '1000000']]],
    otherTypes: ['Float64', 'Decimal(x)', 'Decimal(0)', 'Decimal(77, 2)', 'Decimal(5, 6)', 'Decimal64'],
  },
} satisfies Readonly<Record<string, Promises>>;
