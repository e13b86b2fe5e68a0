import fc from 'fast-check';

import { findInQueryString, parseQueryString } from '../../../../../src/gateway/http/call/query-string.js';
import { anyText } from '../../../../support/any-text.js';

const textOf = (query: string, name = 'a'): string | undefined =>
  parseQueryString(`/x?${query}`).get(name)?.text;

/** A request target as Node provides it: one character for each byte. */
const asBytes = (target: string): string => Buffer.from(target).toString('latin1');

describe('parseQueryString', () => {
  it('accepts a thousand parameters and rejects one more', () => {
    const pairs = Array.from({ length: 1000 }, (_, index) => `p${index}=1`).join('&');
    expect(parseQueryString(`/x?${pairs}`).size).toBe(1000);
    expect(() => parseQueryString(`/x?${pairs}&one=more`)).toThrow('more than 1000 parameters');
  });

  it.each([
    ['a=1', '1'],
    ['a=', ''],
    ['a', ''],
    ['b=2&a=1', '1'],
    ['&&a=1&', '1'],
    ['a=b=c', 'b=c'],
    ['a=+b+', ' b '],
    ['a=%2B', '+'],
    ['a=%26%3D%25%23', '&=%#'],
    ['a=%c3%89%C3%89', 'ÉÉ'],
    ['a=%F0%9F%98%80', '😀'],
    ['a=%00', '\0'],
    ['a=1;b=2', '1;b=2'],
    ['a=?x?', '?x?'],
    ['a=%EF%BB%BFx', '\uFEFFx'],
    ['%61=1', '1'],
  ])('reads %s as %j', (query, expected) => {
    expect(textOf(query)).toBe(expected);
  });

  it('reads UTF-8 that was sent without escapes', () => {
    expect(textOf(asBytes('a=É😀'))).toBe('É😀');
    expect(textOf(`${asBytes('a=É')}%C3%89`)).toBe('ÉÉ');
  });

  it.each([
    ['a lone percent sign', 'a=%'],
    ['a percent sign before other text', 'a=100%25%'],
    ['an escape that is cut', 'a=%C'],
    ['an escape that is no hexadecimal', 'a=%zz'],
    ['a byte that is no UTF-8', 'a=%FF'],
    ['an overlong form', 'a=%C0%AF'],
    ['half of a character', 'a=%C3'],
    ['a surrogate', 'a=%ED%A0%80'],
    ['a raw byte that is no UTF-8', 'a=\xE9'],
  ])('returns no text for a value with %s', (_what, query) => {
    const parameter = parseQueryString(`/x?${query}`).get('a');
    expect(parameter).toEqual({ text: undefined, times: 1 });
  });

  it('omits a name that can’t be decoded', () => {
    expect([...parseQueryString('/x?%FF=1&%=2&a=3').keys()]).toEqual(['a']);
  });

  it('counts how often a name occurs, escaped or not', () => {
    expect(parseQueryString('/x?a=1&%61=2&a').get('a')?.times).toBe(3);
  });

  it.each(['a[]=1', 'a[b]=1', 'a[0]=1', 'a.b=1'])('reads %s as a plain name', (query) => {
    const parameters = parseQueryString(`/x?${query}`);
    expect([...parameters.keys()]).toEqual([query.split('=')[0]]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'reads %s like any other name',
    (name) => {
      expect([...parseQueryString(`/x?${name}=1`)]).toEqual([[name, { text: '1', times: 1 }]]);
      expect(parseQueryString('/x?').get(name)).toBeUndefined();
    },
  );

  it.each(['/x', '/x?', ''])('finds no parameters in %j', (target) => {
    expect(parseQueryString(target).size).toBe(0);
  });

  it('reads back whatever encodeURIComponent and URLSearchParams write', () => {
    const texts = anyText();
    fc.assert(
      fc.property(texts, (text) => {
        expect(textOf(`a=${encodeURIComponent(text)}`)).toBe(text);
        expect(textOf(new URLSearchParams({ a: text }).toString())).toBe(text);
      }),
    );
  });

  it('never throws, whatever the bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array).toString('latin1'));
    fc.assert(
      fc.property(bytes, (target) => {
        for (const { times } of parseQueryString(`?${target}`).values()) expect(times).toBeGreaterThan(0);
      }),
    );
  });
});

describe('findInQueryString', () => {
  const find = (query: string) =>
    findInQueryString(`/x?${query}`, { names: new Set(['key', 'link']), maxBytes: 20 });

  it('finds the wanted names, escaped or not, and nothing else', () => {
    expect([...find('a=%41&key=%42&%6cink&key=c')]).toEqual([
      ['key', { text: 'c', times: 2 }],
      ['link', { text: '', times: 1 }],
    ]);
  });

  it('returns no text for a value that is too long or malformed', () => {
    expect(find(`key=${'%41'.repeat(20)}`).get('key')).toEqual({ text: 'A'.repeat(20), times: 1 });
    expect(find(`key=${'%41'.repeat(21)}`).get('key')).toEqual({ text: undefined, times: 1 });
    expect(find('key=%').get('key')).toEqual({ text: undefined, times: 1 });
  });

  it('reads the first thousand parameters only', () => {
    expect(find(`${'a&'.repeat(1000)}key=1`).get('key')?.text).toBe('1');
    expect(find(`${'a&'.repeat(1001)}key=1`).size).toBe(0);
  });
});
