import { quoteName, quoteText, unquote } from '../../../src/endpoint/quote-sql.js';

it.each([
  ['timestamp', '`timestamp`', "'timestamp'"],
  ['', '``', "''"],
  ['a`b', '`a\\`b`', "'a`b'"],
  ["it's $&", "`it's $&`", "'it\\'s $&'"],
  ['a\\', '`a\\\\`', "'a\\\\'"],
  ['a\\`b', '`a\\\\\\`b`', "'a\\\\`b'"],
])('writes %j as a name and as a text, and reads both', (text, name, literal) => {
  expect([quoteName(text), quoteText(text)]).toEqual([name, literal]);
  expect([unquote(name), unquote(literal)]).toEqual([text, text]);
});

it.each([
  ["'it''s a ``'", "it's a ``"],
  ['`a``b`', 'a`b'],
  ['"a\\"b"', 'a"b'],
  ["'a\\nb\\0'", 'a\nb\0'],
  [String.raw`'\d+\.\%\q\N\/\=\e'`, String.raw`\d+\.\%\q/=` + '\x1b'],
  [String.raw`'\x41\xc3\xa9\x4'`, String.raw`Aé\x4`],
])('reads %s', (written, text) => {
  expect(unquote(written)).toBe(text);
});
