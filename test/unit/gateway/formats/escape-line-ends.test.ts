import { escapeLineEnds } from '../../../../src/gateway/formats/escape-line-ends.js';

const escaped = (text: string): string => String(escapeLineEnds(Buffer.from(text)));

describe('escapeLineEnds', () => {
  it('escapes U+0085, U+2028 and U+2029, so that programs do not take them for the end of a line', () => {
    const value = { a: '\u0085x\u2028\u2028y\u2029', b: '\u0085' };
    const text = escaped(JSON.stringify(value));
    expect(text).toBe(String.raw`{"a":"\u0085x\u2028\u2028y\u2029","b":"\u0085"}`);
    expect(JSON.parse(text)).toEqual(value);
  });

  it.each(['', '{"result":[]}', '{"a":"Å  “Ж” … 日本 \u2027\u202a\u0084\u0086"}', '\u00c2'])(
    'leaves %j unchanged, without a copy',
    (text) => {
      const bytes = Buffer.from(text);
      expect(escapeLineEnds(bytes)).toBe(bytes);
    },
  );

  it.each([1, 3333, 3334, 100_000])(
    'escapes %i of each, in one allocation, however many there are',
    (times) => {
      const text = '\u0085a\u2028b’\u2029Жc';
      const result = escapeLineEnds(Buffer.from(text.repeat(times)));
      expect(result?.toString()).toBe(String.raw`\u0085a\u2028b’\u2029Жc`.repeat(times));
      expect(result?.buffer.byteLength).toBe(result?.length);
    },
  );

  it.each([1, 20_000])('returns nothing where %i escapes exceed the maximum', (times) => {
    const json = Buffer.from('\u0085'.repeat(times));
    expect(escapeLineEnds(json, 6 * times)).toHaveLength(6 * times);
    expect(escapeLineEnds(json, 6 * times - 1)).toBeUndefined();
  });
});
