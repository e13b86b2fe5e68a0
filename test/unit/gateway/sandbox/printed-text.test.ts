import { checkPrintedText, replaceUnquoted } from '../../../../src/gateway/sandbox/printed-text.js';

it.each([
  'SELECT 1',
  "SELECT 'a\\'b; -- {x:String} $$ \\\\', `odd name` FROM result AS r WHERE (a <= 1) AND (b != 2)",
  'SELECT x -> (x + 1), [1, 2][1], t.1, a::Int8, -1, `größe` FROM result',
])('accepts %s', (text) => {
  expect(() => {
    checkPrintedText(text);
  }).not.toThrow();
});

it.each([
  ['a parameter', 'SELECT {x:String}', 'parameters in braces'],
  ['a name with an unescaped line feed', 'SELECT `a\nb`', 'quoted name'],
  ['a name with an escape', 'SELECT `a\\nb`', 'quoted name'],
  ['a name with a comma', 'SELECT `a, identifier: b`', 'quoted name'],
  ['a name with a back quote', 'SELECT `a``b`', 'quoted name'],
  ['a name that ends with a space', 'SELECT `a `', 'quoted name'],
  ['an unterminated string', "SELECT 'a", 'not supported'],
  ['an unterminated name', 'SELECT `a', 'not supported'],
  ['a second statement', 'SELECT 1; SELECT 2', 'not supported'],
  ['a comment', 'SELECT 1 -- x', 'comment'],
  ['a block comment', 'SELECT 1 /* x */', 'comment'],
  ['double quotes', 'SELECT "a"', 'not supported'],
  ['dollar quotes', 'SELECT $$a$$', 'not supported'],
  ['a homoglyph outside of quotes', 'SELECT \u0430', 'not supported'],
])('rejects %s', (_what, text, problem) => {
  expect(() => {
    checkPrintedText(text);
  }).toThrow(problem);
});

it('replaces what stands in no string and in no quoted name', () => {
  const text = "SELECT 'a', '\\' a', 'it''s a', '`' AS `a`, a FROM `'` AS a";
  expect(replaceUnquoted(text, 'a', '$&')).toBe(
    "SELECT 'a', '\\' a', 'it''s a', '`' AS `a`, $& FROM `'` AS $&",
  );
});
