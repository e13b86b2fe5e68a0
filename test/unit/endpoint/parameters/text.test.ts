import fc from 'fast-check';

import { text } from '../../../../src/endpoint/index.js';
import { numberOfCharacters } from '../../../../src/endpoint/parameters/text.js';
import { anyText } from '../../../support/any-text.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('text', () => {
  it.each(['', ' ', ' padded ', '%_\\', "'; DROP TABLE logs --", 'É Ж 😀', '__proto__', '{#problem}'])(
    'accepts %j unchanged',
    (input) => {
      expect(valueOf(text({ description }), input)).toBe(input);
    },
  );

  it('accepts every text unchanged', () => {
    fc.assert(
      fc.property(anyText(), (input) => {
        expect(valueOf(text({ description }), input)).toBe(input);
      }),
    );
  });

  it('may be omitted', () => {
    expect(valueOf(text({ description }), undefined)).toBeUndefined();
  });

  it('treats the empty text as a value, as omitted or as a problem, as the declaration says', () => {
    expect(valueOf(text({ description, empty: 'value' }), '')).toBe('');
    expect(valueOf(text({ description, empty: 'omitted' }), '')).toBeUndefined();
    expect(valueOf(text({ description, empty: 'omitted' }), ' ')).toBe(' ');
    expect(problemOf(text({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('reports a required value that is missing', () => {
    expect(problemOf(text({ description, required: true }), undefined)).toBe('is required');
    expect(problemOf(text({ description, required: true, empty: 'omitted' }), '')).toBe('is required');
  });

  it('accepts the empty text for a required value', () => {
    expect(valueOf(text({ description, required: true }), '')).toBe('');
  });

  it('counts characters for maxLength, not bytes or UTF-16 units', () => {
    const short = text({ description, maxLength: 2 });
    expect(valueOf(short, '😀😀')).toBe('😀😀');
    expect(problemOf(short, '😀😀😀')).toBe('must be at most 2 characters');
    fc.assert(
      fc.property(anyText(), (input) => {
        expect(numberOfCharacters(input)).toBe(Array.from(input).length);
      }),
    );
  });

  it('rejects a text in which the pattern is not found, and shows the pattern', () => {
    const code = text({ description, pattern: '^[A-Z]{2}$' });
    expect(valueOf(code, 'DE')).toBe('DE');
    expect(problemOf(code, 'DEU')).toBe('must match ^[A-Z]{2}$');
  });

  it('matches a pattern in linear time', () => {
    const nested = text({ description, pattern: '^(a+)+$' });
    expect(problemOf(nested, `${'a'.repeat(8000)}b`)).toBe('must match ^(a+)+$');
  });

  it('describes its bounds in JSON Schema', () => {
    const { jsonSchema } = text({ description, maxLength: 2, pattern: '^a', suggestions: ['ab'] });
    expect(jsonSchema).toEqual({ type: 'string', maxLength: 2, pattern: '^a', examples: ['ab'] });
  });

  it('leaves a pattern out of JSON Schema that only RE2 reads', () => {
    const { jsonSchema } = text({ description, pattern: '(?i)^a' });
    expect(jsonSchema).toEqual({ type: 'string', maxLength: 8192 });
  });

  it.each([
    [{ pattern: '(' }, 'pattern "(" must be a regular expression (RE2)'],
    [{ maxLength: 0 }, 'maxLength 0 must be a whole number of at least 1'],
    [{ minimum: 1 }, 'unknown key `minimum`; the keys are'],
    [{ patern: 'a' }, 'unknown key `patern`; did you mean `pattern`?'],
    [{ default: 'abc', maxLength: 2 }, 'default must be at most 2 characters'],
    [{ default: '', empty: 'problem' }, 'default must not be empty'],
    [{ default: 'a', required: true }, 'required must be absent: an omitted parameter has the default'],
    [{ choicesFrom: { endpoint: 'cities' } }, 'choicesFrom.column is missing'],
    [{ secret: true, default: 'a' }, 'default must be absent: a file cannot keep a secret value'],
    [{ secret: 'yes' }, 'secret "yes" must be true or false'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(text({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });
});
