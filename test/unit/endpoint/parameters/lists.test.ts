import fc from 'fast-check';

import { listOf, textList } from '../../../../src/endpoint/index.js';
import { declareByKind, KIND_NAMES } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('textList', () => {
  const list = textList({ description });

  it('splits at commas without trimming', () => {
    expect(valueOf(list, ' a,b ,,"c')).toEqual(['', ' a', '"c', 'b ']);
  });

  it('returns the same list for any order and repetition', () => {
    expect(valueOf(list, 'b,a,b')).toEqual(valueOf(list, 'a,b'));
  });

  it('treats the empty text as one empty item, as omitted or as a problem, as the declaration says', () => {
    expect(valueOf(list, '')).toEqual(['']);
    expect(valueOf(textList({ description, empty: 'omitted' }), '')).toBeUndefined();
    expect(problemOf(textList({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('may be omitted', () => {
    expect(valueOf(list, undefined)).toBeUndefined();
  });

  it('takes items that came as an array, commas in them included', () => {
    expect(valueOf(list, ['b,c', 'a'])).toEqual(['a', 'b,c']);
  });

  it('has the bounds of a text for each item', () => {
    const codes = textList({ description, maxLength: 2, pattern: '^[A-Z]' });
    expect(valueOf(codes, 'DE,FR')).toEqual(['DE', 'FR']);
    expect(problemOf(codes, 'DE,fr')).toBe('item 2 must match ^[A-Z]');
    expect(problemOf(codes, 'DE,FR,ITA')).toBe('item 3 must be at most 2 characters');
  });
});

describe('listOf', () => {
  const ids = listOf('integer', { description, minimum: 1 });

  it('is an array of the type of its items', () => {
    expect(ids).toMatchObject({ kind: 'integer-list', type: 'Array(Int64)', isList: true });
  });

  it('has the canonical value of each item once', () => {
    expect(valueOf(ids, '2,+1,01')).toEqual(['1', '2']);
  });

  it('has one value for any order, repetition and spelling of the items', () => {
    const items = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });
    const list = listOf('integer', { description });
    fc.assert(
      fc.property(items, fc.func(fc.nat()), (numbers, rank) => {
        const other = [...numbers, numbers[0]].sort((a, b) => rank(a) - rank(b));
        expect(valueOf(list, other.map((number) => `+0${String(number)}`).join(','))).toEqual(
          valueOf(list, numbers.join(',')),
        );
      }),
    );
  });

  it('names the number of the item that is invalid', () => {
    expect(problemOf(ids, '1,x')).toBe('item 2 must be a whole number, such as 42 or -7');
    expect(problemOf(ids, '1,,2')).toBe('item 2 must be a whole number, such as 42 or -7');
    expect(problemOf(ids, '0')).toMatch(/^item 1 must be a whole number between 1 and/);
  });

  it('treats the empty text as omitted, or as a problem', () => {
    expect(valueOf(ids, '')).toBeUndefined();
    expect(problemOf(listOf('integer', { description, empty: 'problem' }), '')).toBe('must not be empty');
    expect(mistakesIn(listOf('integer', { description, empty: 'value' }))).toEqual([
      'empty "value" must be "omitted" or "problem"',
    ]);
  });

  it('has a default written as an array or as a text', () => {
    const written = listOf('integer', { description, default: [3, '02'] });
    expect(valueOf(written, undefined)).toEqual(['2', '3']);
    expect(written.default).toBe('3,02');
    expect(valueOf(listOf('integer', { description, default: '3,2' }), '')).toEqual(['2', '3']);
    expect(mistakesIn(listOf('integer', { description, default: [1, 'x'] }))).toEqual([
      'default item 2 must be a whole number, such as 42 or -7',
    ]);
  });

  it('resolves relative times in its items', () => {
    const times = listOf('timestamp', { description, relativeStep: '1d' });
    expect(valueOf(times, 'now,2026-01-01,now-1d')).toEqual([
      '2026-01-01 00:00:00.000000',
      '2026-05-16 00:00:00.000000',
      '2026-05-17 00:00:00.000000',
    ]);
  });

  it('reports a type of items that does not fit', () => {
    expect(mistakesIn(declareByKind('integer-list', { description }, ['String']))).toEqual([
      'the query binds it as Array(String); for a list of kind integer write Array of an integer type from Int8 to UInt256',
    ]);
  });
});

describe('a parameter that is no list', () => {
  const ownOptions: Readonly<Record<string, object>> = {
    enum: { choices: ['a'] },
    'regular-expression': { maxLength: 10 },
  };

  it.each(KIND_NAMES.filter((kind) => !kind.endsWith('-list')))('of kind %s rejects an array', (kind) => {
    const parameter = declareByKind(kind, { description, ...ownOptions[kind] }, []);
    expect(mistakesIn(parameter)).toEqual([]);
    expect(problemOf(parameter, ['a'])).toBe('must be one value, not a list');
  });
});
