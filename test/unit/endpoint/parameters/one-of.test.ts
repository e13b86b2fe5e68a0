import { oneOf } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('oneOf', () => {
  const interval = oneOf(['hourly', 'daily'], { description, required: true, empty: 'problem' });

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

  it('treats the empty text as omitted unless the declaration says otherwise', () => {
    expect(valueOf(oneOf(['a'], { description }), '')).toBeUndefined();
  });

  it('has a default that is one of the choices', () => {
    expect(valueOf(oneOf(['a', 'b'], { description, default: 'b' }), undefined)).toBe('b');
    expect(mistakesIn(oneOf(['a', 'b'], { description, default: 'c' }))).toEqual([
      'default must be one of a, b',
    ]);
  });

  it.each([[[]], [['a', 'a']], [[1]]])('reports the choices %j as a mistake', (choices) => {
    expect(mistakesIn(oneOf(choices as string[], { description }))).toEqual([
      expect.stringMatching(/^choices.* must be an array of strings, at least one$/),
    ]);
  });

  it('can be bound as an identifier, but not a list of them', () => {
    const options = { description, choices: ['city'] } as { description: string };
    expect(mistakesIn(declareByKind('enum', options, ['Identifier']))).toEqual([]);
    expect(mistakesIn(declareByKind('enum-list', options, ['Identifier']))).toEqual([
      expect.stringMatching(/^the query binds it as Array\(Identifier\); .* write Array of String/),
    ]);
  });
});
