import {
  oneOf,
  regularExpression,
  text,
  textList,
  timestamp,
  type Parameter,
} from '../../../src/endpoint/parameters.js';

const description = 'For a test.';

const valueOf = (parameter: Parameter, given: string | undefined): unknown => {
  const result = parameter.schema.validate(given);
  if (result.error) throw new Error(`refused: ${result.error.message}`);
  return result.value;
};
const problemOf = (parameter: Parameter, given: string | undefined): string | undefined =>
  parameter.schema.validate(given).error?.message;

describe('text', () => {
  it.each(['', ' ', ' padded ', '%_\\', "'; DROP TABLE logs --", 'É Ж 😀', '__proto__'])(
    'takes %j as it is',
    (given) => {
      expect(valueOf(text({ description }), given)).toBe(given);
    },
  );

  it('may be omitted', () => {
    expect(valueOf(text({ description }), undefined)).toBeUndefined();
  });

  it('counts the empty text as omitted where it says so', () => {
    expect(valueOf(text({ description, empty: 'omitted' }), '')).toBeUndefined();
    expect(valueOf(text({ description, empty: 'omitted' }), ' ')).toBe(' ');
  });

  it('is missed where it is required', () => {
    expect(problemOf(text({ description, required: true }), undefined)).toBe('is required');
  });

  it('takes the empty text where it is required', () => {
    expect(valueOf(text({ description, required: true }), '')).toBe('');
  });
});

describe('oneOf', () => {
  const interval = oneOf(['hourly', 'daily'], { description, required: true });

  it('takes each of its choices', () => {
    expect(valueOf(interval, 'hourly')).toBe('hourly');
    expect(valueOf(interval, 'daily')).toBe('daily');
  });

  it.each(['weekly', 'HOURLY', ' hourly', ''])('refuses %j and names the choices', (given) => {
    expect(problemOf(interval, given)).toBe('must be one of [hourly, daily]');
  });

  it('is missed where it is required', () => {
    expect(problemOf(interval, undefined)).toBe('is required');
  });
});

describe('regularExpression', () => {
  const expression = regularExpression({ description, maxLength: 4 });

  it('takes one without looking whether it compiles', () => {
    expect(valueOf(expression, '(a')).toBe('(a');
  });

  it('refuses an empty one', () => {
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

  it('rounds what is finer than a microsecond as its comparison needs', () => {
    const given = '2026-05-17T10:05:03.1234561Z';
    expect(valueOf(timestamp({ description }), given)).toBe('2026-05-17 10:05:03.123456');
    expect(valueOf(timestamp({ description, subMicrosecond: 'ceil' }), given)).toBe(
      '2026-05-17 10:05:03.123457',
    );
  });

  it.each(['yesterday', '2026-02-30', '1899-12-31', ' '])('refuses %j and shows what it takes', (given) => {
    expect(problemOf(timestamp({ description }), given)).toMatch(/ISO 8601 .* such as 2026-05-17/);
  });

  it('refuses the empty text', () => {
    expect(problemOf(timestamp({ description }), '')).toBeDefined();
  });

  it('counts the empty text as omitted where it says so', () => {
    expect(valueOf(timestamp({ description, empty: 'omitted' }), '')).toBeUndefined();
  });
});

describe('textList', () => {
  const list = textList({ description });

  it('takes the items between commas as they are', () => {
    expect(valueOf(list, ' a,b ,,"c')).toEqual(['', ' a', '"c', 'b ']);
  });

  it('gives the same list in any order and with repetitions', () => {
    expect(valueOf(list, 'b,a,b')).toEqual(valueOf(list, 'a,b'));
  });

  it('takes the empty text for one empty item', () => {
    expect(valueOf(list, '')).toEqual(['']);
  });

  it('may be omitted', () => {
    expect(valueOf(list, undefined)).toBeUndefined();
  });
});
