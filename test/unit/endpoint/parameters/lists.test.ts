import { listOf, text, textList } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('a list', () => {
  it('is split at commas without trimming; its order and repetition make no difference', () => {
    expect(valueOf(textList({ description }), ' a,b ,,"c')).toEqual(['', ' a', '"c', 'b ']);
    expect(valueOf(listOf('integer', { description }), '2,+1,01')).toEqual(['1', '2']);
  });

  it('of texts is one empty item where the text is empty', () => {
    expect(valueOf(textList({ description }), '')).toEqual(['']);
  });

  it('takes items that came as an array, commas in them included', () => {
    expect(valueOf(textList({ description }), ['b,c', 'a'])).toEqual(['a', 'b,c']);
  });

  it('has the bounds of its kind for each item', () => {
    const codes = textList({ description, maxLength: 2, pattern: '^[A-Z]' });
    expect(valueOf(codes, 'DE,FR')).toEqual(['DE', 'FR']);
    expect(problemOf(codes, 'DE,fr')).toBe('item 2 must match ^[A-Z]');
  });

  it('has a default written as an array or as a text', () => {
    const written = listOf('integer', { description, default: [3, '02'] });
    expect([valueOf(written, undefined), written.default]).toEqual([['2', '3'], '3,02']);
    expect(valueOf(listOf('integer', { description, default: '3,2' }), '')).toEqual(['2', '3']);
    expect(mistakesIn(listOf('integer', { description, default: [1, 'x'] }))).toEqual([
      'default item 2 must be a whole number, such as 42 or -7',
    ]);
  });

  it('of identifiers cannot be bound', () => {
    const options = { description, choices: ['city'] } as { description: string };
    expect(mistakesIn(declareByKind('enum-list', options, ['Identifier']))).toEqual([
      expect.stringMatching(/^the query binds it as Array\(Identifier\); .* write Array of String/),
    ]);
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
