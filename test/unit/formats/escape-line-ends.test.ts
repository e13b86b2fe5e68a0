import { escapeLineEnds } from '../../../src/formats/escape-line-ends.js';

const escaped = (text: string): string => escapeLineEnds(Buffer.from(text)).toString();

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

  it('makes one allocation for a text that consists of nothing else', () => {
    const text = '\u0085\u2028\u2029'.repeat(100_000);
    const result = escapeLineEnds(Buffer.from(text));
    expect(result.toString()).toBe(String.raw`\u0085\u2028\u2029`.repeat(100_000));
    expect(result.buffer.byteLength).toBe(result.length);
  });
});
