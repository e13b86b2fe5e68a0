import { cellText } from '../../../../src/commands/cli/call/cell-text.js';
import { resultTable } from '../../../../src/commands/cli/call/result-table.js';
import { displayWidth } from '../../../../src/commands/cli/display-width.js';

const PLAIN = { stream: {}, environment: {} };

const bodyOf = (meta: Readonly<Record<string, string>>, rows: readonly string[]): string =>
  JSON.stringify({ meta: Object.entries(meta).map(([name, type]) => ({ name, type })) }).replace(
    /}$/,
    `,"data":[${rows.join()}],"rows":${rows.length},"truncated":false}`,
  );

const linesOf = (body: string, columns?: number): readonly string[] =>
  resultTable(body, columns, PLAIN).text.trimEnd().split('\n');

describe('resultTable', () => {
  it('aligns texts to the left and numbers to the right, shows NULL, and prints every digit', () => {
    const body = bodyOf(
      {
        city: 'LowCardinality(String)',
        n: 'Nullable(UInt64)',
        price: 'Decimal(38, 2)',
        tags: 'Array(String)',
      },
      [
        '{"city":"Rome","n":18446744073709551615,"price":12345678901234567890.10,"tags":["a","b"]}',
        '{"city":"","n":null,"price":0.5,"tags":[9007199254740993]}',
      ],
    );
    expect(linesOf(body)).toEqual([
      'city                     n                    price  tags',
      'Rome  18446744073709551615  12345678901234567890.10  ["a","b"]',
      '                      NULL                      0.5  [9007199254740993]',
    ]);
  });

  it('aligns wide characters, combining characters and emoji by what a terminal shows', () => {
    const values = ['東京', 'é'.normalize('NFD'), '👩‍👩‍👧', '🫠', '❤️', 'ab'];
    const lines = linesOf(
      bodyOf(
        { a: 'String', b: 'String' },
        values.map((a) => JSON.stringify({ a, b: '|' })),
      ),
    );
    expect(lines.slice(1).map((line) => displayWidth(line.replace(/\|$/, '')))).toEqual(values.map(() => 6));
    expect(values.map(displayWidth)).toEqual([4, 1, 2, 2, 2, 2]);
  });

  it('escapes what could control the terminal, in values and in names', () => {
    const hostile = '\u001B[2J\u009B31m\r\nx\u202Ey\u2028\u007F';
    const body = bodyOf({ [`a\u0007`]: 'String' }, [JSON.stringify({ 'a\u0007': hostile })]);
    const lines = linesOf(body);
    expect(lines).toEqual(['a\\x07', String.raw`\x1b[2J\x9b31m\r\nx\u202ey\u2028\x7f`]);
    expect(cellText('\uD800')).toBe(String.raw`\ud800`);
    expect(cellText({ a: ['\u001B'] })).not.toContain('\u001B');
  });

  it('fits the terminal: cuts wide values, leaves out columns and rows, and says each', () => {
    const rows = Array.from({ length: 250 }, (_, n) =>
      JSON.stringify({ n, text: '東'.repeat(50), more: 'x' }),
    );
    const body = bodyOf({ n: 'UInt64', text: 'String', more: 'String' }, rows);
    const table = resultTable(body, 40, PLAIN);
    const lines = table.text.trimEnd().split('\n');
    expect(lines).toHaveLength(201);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(40);
    expect(lines[1]).toMatch(/^ {2}0 {2}東{14}… {2}x$/);
    expect(table.notes).toEqual([
      'the first 200 of 250 rows are shown; values with … are cut: --format csv or a pipe has everything',
    ]);
    const narrow = resultTable(body, 12, PLAIN);
    expect(narrow.notes[0]).toContain('the terminal is too narrow for the columns text, more');
    expect(linesOf(body)).toHaveLength(251);
    expect(resultTable(body, undefined, PLAIN).notes).toEqual([]);
  });

  it('has the columns of a result without rows', () => {
    expect(resultTable(bodyOf({ n: 'UInt64', city: 'String' }, []), 80, PLAIN)).toEqual({
      text: 'n  city\n',
      notes: ['no rows'],
    });
  });

  it('colours names and NULL on a terminal only', () => {
    const terminal = { stream: { isTTY: true }, environment: {} };
    const { text } = resultTable(bodyOf({ n: 'String' }, ['{"n":null}']), 80, terminal);
    expect(text).toBe('\u001B[1mn   \u001B[22m\n\u001B[2mNULL\u001B[22m\n');
  });
});
