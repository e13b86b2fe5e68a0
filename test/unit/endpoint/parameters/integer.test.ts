import fc from 'fast-check';

import { integer } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('integer', () => {
  const page = integer({ description, minimum: 1, maximum: 100 });

  it.each([
    ['1', '1'],
    ['01', '1'],
    ['+1', '1'],
    ['100', '100'],
  ])('converts %j to %s', (input, value) => {
    expect(valueOf(page, input)).toBe(value);
  });

  it('has one value for every spelling of a number', () => {
    const spelling = fc.tuple(int64, fc.nat({ max: 30 }), fc.constantFrom('', '+'));
    fc.assert(
      fc.property(spelling, ([number, zeros, plus]) => {
        const sign = number < 0n ? '-' : plus;
        const digits = String(number < 0n ? -number : number);
        expect(valueOf(integer({ description }), sign + '0'.repeat(zeros) + digits)).toBe(String(number));
      }),
    );
    expect(valueOf(integer({ description }), '-0')).toBe('0');
  });

  it.each(['-9223372036854775808', '9007199254740993', '9223372036854775807'])(
    'does not round %s',
    (input) => {
      expect(valueOf(integer({ description }), input)).toBe(input);
    },
  );

  it.each(['1.0', '1e3', ' 1', '0x10', '--1', '١', '+', '1n'])(
    'rejects %j, which is not a whole number',
    (input) => {
      expect(problemOf(page, input)).toBe('must be a whole number, such as 42 or -7');
    },
  );

  it.each(['0', '101', '99999999999999999999999'])('rejects %s, which is out of range', (input) => {
    expect(problemOf(page, input)).toBe('must be a whole number between 1 and 100');
  });

  it('rejects a number beyond 64 bits if the declaration has no range', () => {
    expect(problemOf(integer({ description }), '9223372036854775808')).toMatch(
      /between -9223372036854775808 and/,
    );
  });

  it('treats the empty text as omitted', () => {
    expect(valueOf(page, '')).toBeUndefined();
    expect(problemOf(integer({ description, required: true }), '')).toBe('is required');
  });

  it('has exact bounds beyond 2^53, written as a bigint or a text', () => {
    const wide = integer({ description, minimum: '9007199254740993', maximum: 9007199254740995n });
    expect(problemOf(wide, '9007199254740992')).toMatch(/between 9007199254740993 and 9007199254740995/);
    expect(valueOf(wide, '9007199254740993')).toBe('9007199254740993');
    expect(problemOf(wide, '9007199254740996')).toBeDefined();
  });

  it.each([
    [['UInt8'], '0', '255'],
    [['UInt8', 'Int64'], '0', '255'],
    [['Int8', 'UInt8'], '0', '127'],
    [['UInt64'], '0', '18446744073709551615'],
    [['Int128'], String(-(2n ** 127n)), String(2n ** 127n - 1n)],
    [['UInt256'], '0', String(2n ** 256n - 1n)],
  ])('fits every one of the types %j: from %s to %s', (types, least, greatest) => {
    const parameter = declareByKind('integer', { description }, types);
    expect(mistakesIn(parameter)).toEqual([]);
    expect(parameter.type).toBe(types[0]);
    expect(valueOf(parameter, least)).toBe(least);
    expect(valueOf(parameter, greatest)).toBe(greatest);
    expect(problemOf(parameter, String(BigInt(least) - 1n))).toMatch(/must be a whole number between/);
    expect(problemOf(parameter, String(BigInt(greatest) + 1n))).toMatch(/must be a whole number between/);
  });

  it.each(['String', 'Float64', 'UInt7', 'Int64(3)', 'DateTime'])(
    'reports that it cannot be bound as %s',
    (type) => {
      expect(mistakesIn(declareByKind('integer', { description }, ['Int64', type]))).toEqual([
        `the query binds it as ${type}; for kind integer write an integer type from Int8 to UInt256`,
      ]);
    },
  );

  it.each([
    [{ minimum: 1.5 }, 'minimum 1.5 must be a whole number, in quotes beyond 2^53'],
    [{ maximum: 2 ** 53 }, 'maximum 9007199254740992 must be a whole number, in quotes beyond 2^53'],
    [{ minimum: [5] }, 'minimum is'],
    [{ minimum: 2, maximum: 1 }, 'no value is valid: minimum and maximum must leave some'],
    [{ default: 0, minimum: 1 }, 'default must be a whole number between 1 and 9223372036854775807'],
    [{ default: 1.5 }, 'default must be a whole number, such as 42 or -7'],
    [{ default: 'many' }, 'default must be a whole number, such as 42 or -7'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(integer({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });

  it('has a default for an omitted parameter and for an empty text', () => {
    const limit = integer({ description, default: 10, maximum: 50 });
    expect([valueOf(limit, undefined), valueOf(limit, ''), valueOf(limit, '7')]).toEqual(['10', '10', '7']);
    expect(limit.default).toBe('10');
    expect(valueOf(integer({ description, default: 9007199254740993n }), undefined)).toBe('9007199254740993');
  });

  it('describes bounds in JSON Schema that a number holds exactly', () => {
    expect(page.jsonSchema).toEqual({ type: 'integer', format: 'int64', minimum: 1, maximum: 100 });
    expect(integer({ description }).jsonSchema).toEqual({ type: 'integer', format: 'int64' });
  });
});
