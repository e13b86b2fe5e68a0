import { resultTable } from '../../../../src/commands/cli/call/result-table.js';

const linesOf = (meta: Readonly<Record<string, string>>, ...rows: readonly string[]): readonly string[] => {
  const columns = Object.entries(meta).map(([name, type]) => ({ name, type }));
  return resultTable(`{"meta":${JSON.stringify(columns)},"data":[${rows.join()}]}`)
    .trimEnd()
    .split('\n');
};

describe('resultTable', () => {
  it('aligns texts to the left and numbers to the right, shows NULL, and prints every digit', () => {
    const meta = {
      city: 'LowCardinality(String)',
      n: 'Nullable(UInt64)',
      price: 'Decimal(38, 2)',
      tags: 'Array(String)',
    };
    expect(
      linesOf(
        meta,
        '{"city":"Rome","n":18446744073709551615,"price":12345678901234567890.10,"tags":["a","b"]}',
        '{"city":"","n":null,"price":0.5,"tags":[9007199254740993]}',
      ),
    ).toEqual([
      'city                     n                    price  tags',
      'Rome  18446744073709551615  12345678901234567890.10  ["a","b"]',
      '                      NULL                      0.5  [9007199254740993]',
    ]);
  });

  it('aligns wide characters, combining characters and emoji by what a terminal shows', () => {
    const values = { 東京: 0, ['é'.normalize('NFD')]: 3, '👩‍👩‍👧': 2, '❤️': 2, abcd: 0 };
    const rows = Object.keys(values).map((a) => JSON.stringify({ a, b: '|' }));
    expect(linesOf({ a: 'String', b: 'String' }, ...rows).slice(1)).toEqual(
      Object.entries(values).map(([value, spaces]) => `${value}${' '.repeat(spaces)}  |`),
    );
  });

  it('escapes what could control the terminal, in values and in names', () => {
    const hostile = '\u001B[2J\u009B31m\r\nx\u202Ey\u2028\u007F\uD800';
    const row = JSON.stringify({ 'a\u0007': hostile, b: ['\u001B'] });
    expect(linesOf({ 'a\u0007': 'String', b: 'Array(String)' }, row)).toEqual([
      expect.stringMatching(/^a\\x07 +b$/),
      String.raw`\x1b[2J\x9b31m\r\nx\u202ey\u2028\x7f\ud800  ["\u001b"]`,
    ]);
  });

  it('has the columns of a result without rows', () => {
    expect(linesOf({ n: 'UInt64', city: 'String' })).toEqual(['n  city']);
  });
});
