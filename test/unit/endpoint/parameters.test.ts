import {
  boolean,
  integer,
  oneOf,
  regularExpression,
  text,
  textList,
  timestamp,
} from '../../../src/endpoint/index.js';
import type { Parameter } from '../../../src/endpoint/parameters/parameter.js';

const description = 'For a test.';

const valueOf = (parameter: Parameter, input: string | undefined): unknown => {
  const result = parameter.schema.validate(input);
  if (result.error) throw new Error(`rejected: ${result.error.message}`);
  return result.value;
};
const problemOf = (parameter: Parameter, input: string | undefined): string | undefined =>
  parameter.schema.validate(input).error?.message;

describe('text', () => {
  it.each(['', ' ', ' padded ', '%_\\', "'; DROP TABLE logs --", 'É Ж 😀', '__proto__'])(
    'accepts %j unchanged',
    (input) => {
      expect(valueOf(text({ description }), input)).toBe(input);
    },
  );

  it('may be omitted', () => {
    expect(valueOf(text({ description }), undefined)).toBeUndefined();
  });

  it('treats the empty text as omitted if the declaration says so', () => {
    expect(valueOf(text({ description, empty: 'omitted' }), '')).toBeUndefined();
    expect(valueOf(text({ description, empty: 'omitted' }), ' ')).toBe(' ');
  });

  it('reports a required value that is missing', () => {
    expect(problemOf(text({ description, required: true }), undefined)).toBe('is required');
  });

  it('accepts the empty text for a required value', () => {
    expect(valueOf(text({ description, required: true }), '')).toBe('');
  });
});

describe('oneOf', () => {
  const interval = oneOf(['hourly', 'daily'], { description, required: true });

  it('accepts each of its choices', () => {
    expect(valueOf(interval, 'hourly')).toBe('hourly');
    expect(valueOf(interval, 'daily')).toBe('daily');
  });

  it.each(['weekly', 'HOURLY', ' hourly', ''])('rejects %j and lists the choices', (input) => {
    expect(problemOf(interval, input)).toBe('must be one of hourly, daily');
  });

  it('reports a required value that is missing', () => {
    expect(problemOf(interval, undefined)).toBe('is required');
  });
});

describe('regularExpression', () => {
  const expression = regularExpression({ description, maxLength: 4 });

  it('accepts an expression without checking whether it compiles', () => {
    expect(valueOf(expression, '(a')).toBe('(a');
  });

  it('rejects the empty text', () => {
    expect(problemOf(expression, '')).toBe('must not be empty');
  });

  it('counts characters, not bytes or UTF-16 units', () => {
    expect(valueOf(expression, '😀😀😀😀')).toBe('😀😀😀😀');
    expect(problemOf(expression, '😀😀😀😀😀')).toBe('must be at most 4 characters');
  });
});

describe('timestamp', () => {
  it('converts a value to the form that ClickHouse reads', () => {
    const value = valueOf(timestamp({ description }), '2026-05-17T10:05:03.123456+02:00');
    expect(value).toBe('2026-05-17 08:05:03.123456');
  });

  it('rounds a fraction finer than a microsecond in the direction that the declaration names', () => {
    const input = '2026-05-17T10:05:03.1234561Z';
    expect(valueOf(timestamp({ description }), input)).toBe('2026-05-17 10:05:03.123456');
    expect(valueOf(timestamp({ description, subMicrosecond: 'ceil' }), input)).toBe(
      '2026-05-17 10:05:03.123457',
    );
  });

  it.each(['yesterday', '2026-02-30', '1899-12-31', ' '])('rejects %j and shows valid examples', (input) => {
    expect(problemOf(timestamp({ description }), input)).toMatch(/ISO 8601 .* such as 2026-05-17/);
  });

  it('rejects the empty text', () => {
    expect(problemOf(timestamp({ description }), '')).toBeDefined();
  });

  it('treats the empty text as omitted if the declaration says so', () => {
    expect(valueOf(timestamp({ description, empty: 'omitted' }), '')).toBeUndefined();
  });
});

describe('textList', () => {
  const list = textList({ description });

  it('splits at commas without trimming', () => {
    expect(valueOf(list, ' a,b ,,"c')).toEqual(['', ' a', '"c', 'b ']);
  });

  it('returns the same list for any order and repetition', () => {
    expect(valueOf(list, 'b,a,b')).toEqual(valueOf(list, 'a,b'));
  });

  it('treats the empty text as one empty item', () => {
    expect(valueOf(list, '')).toEqual(['']);
  });

  it('may be omitted', () => {
    expect(valueOf(list, undefined)).toBeUndefined();
  });
});

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

  it.each(['-9223372036854775808', '9007199254740993', '9223372036854775807'])(
    'does not round %s',
    (input) => {
      expect(valueOf(integer({ description }), input)).toBe(input);
    },
  );

  it.each(['1.0', '1e3', ' 1', '0x10', '--1', '١'])('rejects %j, which is not a whole number', (input) => {
    expect(problemOf(page, input)).toBe('must be a whole number, such as 42 or -7');
  });

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
});

describe('boolean', () => {
  const flag = boolean({ description });

  it.each([
    ['true', 'true'],
    ['1', 'true'],
    ['false', 'false'],
    ['0', 'false'],
  ])('converts %j to %s', (input, value) => {
    expect(valueOf(flag, input)).toBe(value);
  });

  it.each(['yes', 'TRUE', 'null', ' '])('rejects %j', (input) => {
    expect(problemOf(flag, input)).toBe('must be true or false');
  });

  it('treats the empty text as omitted', () => {
    expect(valueOf(flag, '')).toBeUndefined();
  });
});
