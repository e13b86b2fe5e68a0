import { regularExpression } from '../../../../src/endpoint/index.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('regularExpression', () => {
  const expression = regularExpression({ description, maxLength: 4 });

  it('accepts an expression without checking whether it compiles', () => {
    expect(valueOf(expression, '(a')).toBe('(a');
  });

  it('rejects the empty text, unless the declaration says that it means an omitted parameter', () => {
    expect(problemOf(expression, '')).toBe('must not be empty');
    expect(valueOf(regularExpression({ description, maxLength: 4, empty: 'omitted' }), '')).toBeUndefined();
  });

  it('counts characters, not bytes or UTF-16 units', () => {
    expect(valueOf(expression, '😀😀😀😀')).toBe('😀😀😀😀');
    expect(problemOf(expression, '😀😀😀😀😀')).toBe('must be at most 4 characters');
  });

  it('reports a missing maxLength as a mistake', () => {
    expect(mistakesIn(regularExpression({ description } as never))).toEqual([
      'maxLength is missing; it must be a whole number of at least 1',
    ]);
  });
});
