import { listOf, text, textList } from '../../../../src/endpoint/index.js';
import { problemOfType } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('a list', () => {
  it('is split at commas without trimming; its order and its duplicates stay', () => {
    expect(valueOf(textList({ description }), ' b,a ,,"c,a ')).toEqual([' b', 'a ', '', '"c', 'a ']);
    expect(valueOf(listOf('integer', { description }), '2,+1,01')).toEqual(['2', '1', '1']);
  });

  it('that is a set is sorted, each item once', () => {
    expect(valueOf(textList({ description, set: true }), 'b,a,,b')).toEqual(['', 'a', 'b']);
    const numbers = listOf('integer', { description, set: true, default: [3, '02', 3] });
    expect([valueOf(numbers, '2,+1,01'), valueOf(numbers, undefined)]).toEqual([
      ['1', '2'],
      ['2', '3'],
    ]);
    expect(numbers).toMatchObject({ isSet: true });
    expect(listOf('integer', { description, set: false })).not.toHaveProperty('isSet');
  });

  it('alone can be a set, and one of texts alone verbatim', () => {
    expect(mistakesIn(text({ description, set: true } as never))).toEqual([
      expect.stringContaining('unknown key `set`'),
    ]);
    expect(textList({ description, verbatim: true })).toMatchObject({ isVerbatim: true });
    expect(mistakesIn(listOf('integer', { description, verbatim: true }))).toEqual([
      expect.stringContaining('unknown key `verbatim`'),
    ]);
  });

  it('of texts is one empty item where the text is empty', () => {
    expect(valueOf(textList({ description }), '')).toEqual(['']);
  });

  it('takes items that came as an array, commas in them included', () => {
    expect(valueOf(textList({ description }), ['b,c', 'a'])).toEqual(['b,c', 'a']);
  });

  it('has the bounds of its kind for each item', () => {
    const codes = textList({ description, maxLength: 2, pattern: '^[A-Z]' });
    expect(valueOf(codes, 'DE,FR')).toEqual(['DE', 'FR']);
    expect(problemOf(codes, 'DE,fr')).toBe('item 2 must match ^[A-Z]');
  });

  it('has a default written as an array or as a text', () => {
    const written = listOf('integer', { description, default: [3, '02'] });
    expect([valueOf(written, undefined), written.default]).toEqual([['3', '2'], '3,02']);
    expect(valueOf(listOf('integer', { description, default: '3,2' }), '')).toEqual(['3', '2']);
    expect(mistakesIn(listOf('integer', { description, default: [1, 'x'] }))).toEqual([
      'default item 2 must be a whole number, such as 42 or -7',
    ]);
  });

  it('of identifiers cannot be bound', () => {
    expect(problemOfType('p', 'enum-list', 'Array(Identifier)')?.code).toBe('TYPE_NOT_OF_KIND');
  });
});

describe('the options of every kind', () => {
  const choicesFrom = { endpoint: 'cities', column: 'city' };

  it('become facts of the parameter where they are given, and none where they are absent or false', () => {
    const given = text({ description, deprecated: true, choicesFrom, default: 'Bonn' });
    expect(given).toMatchObject({ deprecated: true, choicesFrom, default: 'Bonn' });
    expect(text({ description, secret: true })).toMatchObject({ secret: true });
    const plain = text({ description, deprecated: false, secret: false });
    for (const fact of ['deprecated', 'secret', 'choicesFrom', 'default', 'isList', 'relativeStepMs']) {
      expect(plain).not.toHaveProperty(fact);
    }
  });

  it.each<[object | null | undefined, string]>([
    [undefined, 'the options must be an object with description, required,'],
    [null, 'the options must be an object with description, required,'],
    [[], 'the options must be an object with description, required,'],
    [{ description: undefined }, 'description is missing; it must be a sentence'],
    [{ minimum: 1 }, 'unknown key `minimum`; the keys are'],
    [{ patern: 'a' }, 'unknown key `patern`; did you mean `pattern`?'],
    [{ default: 'a', required: true }, 'required must be absent: an omitted parameter has the default'],
    [{ choicesFrom: { endpoint: 'cities' } }, 'choicesFrom.column is missing'],
    [{ secret: true, default: 'a' }, 'default must be absent: a file cannot keep a secret value'],
    [{ secret: 'yes' }, 'secret "yes" must be true or false'],
  ])('are reported where they are %j', (options, mistake) => {
    const given = options && !Array.isArray(options) ? { description, ...options } : options;
    expect(mistakesIn(text(given as never))).toEqual([expect.stringContaining(mistake)]);
  });

  it('are all reported where several are wrong', () => {
    expect(
      mistakesIn(text({ description, maxLength: 'a', pattern: 1, required: 'yes' } as never)),
    ).toHaveLength(3);
  });
});
