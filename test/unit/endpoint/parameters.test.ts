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

const valueOf = (parameter: Parameter, given: string | undefined): unknown => {
  const result = parameter.schema.validate(given);
  if (result.error) throw new Error(`rejected: ${result.error.message}`);
  return result.value;
};
const problemOf = (parameter: Parameter, given: string | undefined): string | undefined =>
  parameter.schema.validate(given).error?.message;

describe('text', () => {
  it.each(['', ' ', ' padded ', '%_\\', "'; DROP TABLE logs --", 'É Ж 😀', '__proto__'])(
    'accepts %j unchanged',
    (given) => {
      expect(valueOf(text({ description }), given)).toBe(given);
    },
  );

  it('may be omitted', () => {
    expect(valueOf(text({ description }), undefined)).toBeUndefined();
  });

  it('takes the empty text for omitted where the declaration says so', () => {
    expect(valueOf(text({ description, empty: 'omitted' }), '')).toBeUndefined();
    expect(valueOf(text({ description, empty: 'omitted' }), ' ')).toBe(' ');
  });

  it('is a problem where it is required and absent', () => {
    expect(problemOf(text({ description, required: true }), undefined)).toBe('is required');
  });

  it('accepts the empty text where it is required', () => {
    expect(valueOf(text({ description, required: true }), '')).toBe('');
  });
});

describe('oneOf', () => {
  const interval = oneOf(['hourly', 'daily'], { description, required: true });

  it('accepts each of its choices', () => {
    expect(valueOf(interval, 'hourly')).toBe('hourly');
    expect(valueOf(interval, 'daily')).toBe('daily');
  });

  it.each(['weekly', 'HOURLY', ' hourly', ''])('rejects %j and lists the choices', (given) => {
    expect(problemOf(interval, given)).toBe('must be one of hourly, daily');
  });

  it('is a problem where it is required and absent', () => {
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
  it('becomes the form in which ClickHouse reads it', () => {
    const value = valueOf(timestamp({ description }), '2026-05-17T10:05:03.123456+02:00');
    expect(value).toBe('2026-05-17 08:05:03.123456');
  });

  it('rounds a fraction finer than a microsecond in the direction that the declaration names', () => {
    const given = '2026-05-17T10:05:03.1234561Z';
    expect(valueOf(timestamp({ description }), given)).toBe('2026-05-17 10:05:03.123456');
    expect(valueOf(timestamp({ description, subMicrosecond: 'ceil' }), given)).toBe(
      '2026-05-17 10:05:03.123457',
    );
  });

  it.each(['yesterday', '2026-02-30', '1899-12-31', ' '])('rejects %j and shows valid examples', (given) => {
    expect(problemOf(timestamp({ description }), given)).toMatch(/ISO 8601 .* such as 2026-05-17/);
  });

  it('rejects the empty text', () => {
    expect(problemOf(timestamp({ description }), '')).toBeDefined();
  });

  it('takes the empty text for omitted where the declaration says so', () => {
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

  it('takes the empty text for one empty item', () => {
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
  ])('takes %j for the value %s', (given, value) => {
    expect(valueOf(page, given)).toBe(value);
  });

  it.each(['-9223372036854775808', '9007199254740993', '9223372036854775807'])('keeps %s exact', (given) => {
    expect(valueOf(integer({ description }), given)).toBe(given);
  });

  it.each(['1.0', '1e3', ' 1', '0x10', '--1', '١'])('rejects %j, which is not a whole number', (given) => {
    expect(problemOf(page, given)).toBe('must be a whole number, such as 42 or -7');
  });

  it.each(['0', '101', '99999999999999999999999'])('rejects %s, which is out of range', (given) => {
    expect(problemOf(page, given)).toBe('must be a whole number between 1 and 100');
  });

  it('rejects what 64 bits cannot hold where the declaration names no range', () => {
    expect(problemOf(integer({ description }), '9223372036854775808')).toMatch(
      /between -9223372036854775808 and/,
    );
  });

  it('takes the empty text for omitted', () => {
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
  ])('takes %j for %s', (given, value) => {
    expect(valueOf(flag, given)).toBe(value);
  });

  it.each(['yes', 'TRUE', 'null', ' '])('rejects %j', (given) => {
    expect(problemOf(flag, given)).toBe('must be true or false');
  });

  it('takes the empty text for omitted', () => {
    expect(valueOf(flag, '')).toBeUndefined();
  });
});
