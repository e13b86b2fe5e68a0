import fc from 'fast-check';

import { countJson, isClosed, MAX_DEPTH } from '../../../../../src/gateway/http/call/json-counts.js';

const NONE = { names: Infinity, values: Infinity };
const count = (text: string, limits = NONE): ReturnType<typeof countJson> =>
  countJson(Buffer.from(text), limits);

/** Names and values in a parsed value. */
function countParsed(value: unknown): { readonly names: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { names: 0, values: 0 };
  const members = Object.values(value);
  const inside = members.map(countParsed);
  const sumOf = (key: 'names' | 'values'): number => inside.reduce((sum, each) => sum + each[key], 0);
  return {
    names: sumOf('names') + (Array.isArray(value) ? 0 : members.length),
    values: sumOf('values') + members.length,
  };
}

const spaced = fc.tuple(
  fc.jsonValue({ maxDepth: 6 }),
  fc.constantFrom('', ' ', '\t\r\n', '  \n'),
  fc.constantFrom('', '\uFEFF'),
);
const anyText = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '1', 'é', '\u{1F600}', '\\u005b', '\0'),
  maxLength: 200,
});

describe('the counts of a JSON text', () => {
  it('are those of the parsed value, for every JSON text', () => {
    fc.assert(
      fc.property(spaced, ([value, space, mark]) => {
        const text = JSON.stringify(value, undefined, space);
        const expected = { ...countParsed(JSON.parse(text)), tooDeepAt: undefined };
        expect(count(mark + space + text + space)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [String.raw`{"a\"]},:":["[\\",{"\u005b":"\\\""}]}`, 2, 4],
    ['{"é😀":{"":[[],{} ,[ ]]}}', 2, 5],
    ['[[[ ]]]', 0, 2],
    ['"[1,2]"', 0, 0],
  ])('ignore what strings contain: %s', (text, names, values) => {
    expect(count(text)).toMatchObject({ names, values });
    expect(count(text)).toMatchObject(countParsed(JSON.parse(text)));
  });

  it('find the first bracket beyond 64 levels, and accept 64', () => {
    const nested = (depth: number): string => '[1,'.repeat(depth) + '1' + ']'.repeat(depth);
    expect(count(nested(MAX_DEPTH))).toMatchObject({ tooDeepAt: undefined });
    expect(count(nested(MAX_DEPTH + 1))).toMatchObject({ tooDeepAt: 3 * MAX_DEPTH });
    expect(count(`{"a":"${'['.repeat(1000)}"}`)).toMatchObject({ tooDeepAt: undefined });
  });

  it('are bounded by the length of any text, whether it is JSON or not', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
        const { names, values } = count(text);
        expect(names + values).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('end with the first that exceeds its limit', () => {
    fc.assert(
      fc.property(spaced, fc.nat(20), fc.nat(20), ([value, space], names, values) => {
        const text = JSON.stringify(value, undefined, space);
        const whole = countParsed(JSON.parse(text));
        const counted = count(text, { names, values });
        const isWithin = whole.names <= names && whole.values <= values;
        expect(counted.names <= names && counted.values <= values).toBe(isWithin);
        expect(counted.names).toBeLessThanOrEqual(Math.min(whole.names, names + 1));
        expect(counted.values).toBeLessThanOrEqual(Math.min(whole.values, values + 1));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a text', () => {
  it.each([
    ['{"a":[1]} \n', true],
    ['[1', false],
    ['[1,', false],
    ['"]', true],
    ['  ', false],
    ['', false],
  ])('%j has an end where its last character is a closing bracket: %s', (text, expected) => {
    expect(isClosed(Buffer.from(text))).toBe(expected);
  });
});
