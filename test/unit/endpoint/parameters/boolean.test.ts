import { boolean } from '../../../../src/endpoint/index.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

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

  it('treats the empty text as omitted, or as a problem that lists the values', () => {
    expect(valueOf(flag, '')).toBeUndefined();
    expect(problemOf(boolean({ description, empty: 'problem' }), '')).toBe('must be one of true, false');
  });

  it('has a default written as a truth value or as a text', () => {
    expect(valueOf(boolean({ description, default: false }), undefined)).toBe('false');
    expect(valueOf(boolean({ description, default: '1' }), '')).toBe('true');
    expect(mistakesIn(boolean({ description, default: 'no' }))).toEqual(['default must be true or false']);
  });

  it('cannot have the empty text as a value', () => {
    expect(mistakesIn(boolean({ description, empty: 'value' }))).toEqual([
      'empty "value" must be "omitted" or "problem"',
    ]);
  });
});
