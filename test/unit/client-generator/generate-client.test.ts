import { generateClient } from '../../../src/client-generator/generate-client.js';
import { docComment, parameterText, quoted, typeTextOf } from '../../../src/client-generator/type-text.js';
import { column } from '../../../src/endpoint/definition.js';
import { jsonTypeOf } from '../../../src/endpoint/json-type.js';
import { oneOf, regularExpression, text, textList, timestamp } from '../../../src/endpoint/parameters.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

describe('a type of TypeScript', () => {
  it.each([
    ['UInt64', 'number'],
    ['Nullable(Float32)', 'number | null'],
    ["Enum8('it\\'s' = 1, 'b' = 2)", "'it\\'s' | 'b'"],
    ['Array(Nullable(String))', 'readonly (string | null)[]'],
    ['Array(Array(UInt8))', 'readonly (readonly number[])[]'],
    ['Map(String, UInt8)', 'Readonly<Record<string, number>>'],
    ['Tuple(UInt8, UUID)', 'readonly [number, string]'],
    ['JSON', 'Readonly<Record<string, unknown>>'],
    ['Variant(UInt8)', 'unknown'],
  ])('for a column of %s', (name, type) => {
    expect(typeTextOf(jsonTypeOf(column(name, '')))).toBe(type);
  });

  it('for each kind of parameter', () => {
    const description = '';
    expect(
      [
        text({ description }),
        text({ description, suggestions: ['a'] }),
        oneOf(['a', 'b'], { description }),
        timestamp({ description }),
        textList({ description }),
        regularExpression({ description, maxLength: 9 }),
      ].map(parameterText),
    ).toEqual(['string', "'a' | (string & {})", "'a' | 'b'", 'string | Date', 'readonly string[]', 'string']);
  });
});

describe('the text of a client', () => {
  it('is not led astray by quotes, line feeds and ends of comments', () => {
    expect(quoted('it\'s "a"\\\n')).toBe("'it\\'s \"a\"\\\\\\n'");
    expect(docComment('a */ b\n c')).toBe('/** a * / b c */');
  });

  it('is refused where two endpoints would be one function', () => {
    const twins = [sampleEndpoint({ name: 'a.b' }), sampleEndpoint({ name: 'a-b' })];
    expect(() => generateClient(twins, '1')).toThrow('endpoints a.b and a-b would both be aB()');
  });

  it('has all of an endpoint', () => {
    const client = generateClient([sampleEndpoint()], '1.2.3');
    for (const part of [
      'Querygate 1.2.3',
      'interface SampleParameters',
      'interface SampleRow',
      'sample: (',
    ]) {
      expect(client).toContain(part);
    }
  });
});
