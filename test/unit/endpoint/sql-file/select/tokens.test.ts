import { tokenize } from '../../../../../src/endpoint/sql-file/select/tokens.js';

/** The tokens that are not single spaces, each as kind and text. */
function read(text: string): string[] {
  return tokenize(text)
    .map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
    .filter((token) => token !== 'space  ');
}

describe('tokenize', () => {
  it.each([
    ["'it''s' 'a\\'b'", ["string 'it''s'", "string 'a\\'b'"]],
    ['"a""b" `c\\`d`', ['quoted-name "a""b"', 'quoted-name `c\\`d`']],
    ['‘a’ “b”', ['string ‘a’', 'quoted-name “b”']],
    ["x'4A' b'01'", ["string x'4A'", "string b'01'"]],
    ['$t$ $$ @a $t$', ['string $t$ $$ @a $t$']],
    ['$t$ a', ['word $t$', 'word a']],
    ['/* a /* b */ c */ d', ['comment /* a /* b */ c */', 'word d']],
    ['a -- b', ['word a', 'comment -- b']],
    ['a // b', ['word a', 'comment // b']],
    ['# a', ['comment # a']],
    ['#a', ['invalid #', 'word a']],
    ['1e5 0x1F 1_000, .5', ['number 1e5', 'number 0x1F', 'number 1_000', 'symbol ,', 'number .5']],
    ['1..2', ['number 1.', 'symbol .', 'number 2']],
    ['x.1.1', ['word x', 'symbol .', 'number 1', 'symbol .', 'number 1']],
    ['1a 1.5a', ['word 1a', 'invalid 1.5a']],
    ['@@a @ a', ['symbol @@', 'word a', 'symbol @', 'word a']],
    ['a->b::c||d', ['word a', 'symbol ->', 'word b', 'symbol ::', 'word c', 'symbol ||', 'word d']],
    ['[[a]]', ['symbol [', 'symbol [', 'word a', 'symbol ]', 'symbol ]']],
    ['a\u00a0b', ['word a', 'space \u00a0', 'word b']],
    ["a 'b", ['word a', "invalid 'b"]],
    ['a /* b', ['word a', 'invalid /* b']],
    ['é😀~', ['invalid é', 'invalid 😀', 'invalid ~']],
  ])('splits %s as ClickHouse does', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('reads 300 kB in which a quadratic lexer would need minutes', () => {
    const size = 300_000;
    const tags = Array.from({ length: size / 10 }, (_, index) => `$t${index}$ `).join('');
    for (const unit of ['/*', '(', '[[', "'", '1_', '$', '\\', '‘', '-', '$a', tags]) {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const tokens = tokenize(text);
      expect(tokens.at(-1)?.end).toBe(text.length);
    }
  });
});
