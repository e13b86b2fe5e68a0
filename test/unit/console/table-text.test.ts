import { LosslessNumber } from 'lossless-json';

import { markdownOf, tsvOf } from '../../../console/src/model/table-text.js';

const COLUMNS = [{ name: 'path' }, { name: 'n' }];
const ROWS = [
  { path: 'a|b\t\\c\nd', n: new LosslessNumber('18446744073709551615'), hidden: 'x' },
  { path: null, n: new LosslessNumber('1') },
];

describe('the text of a table', () => {
  it('has a line for each row, with the digits of ClickHouse', () => {
    expect(tsvOf(COLUMNS, ROWS)).toBe('path\tn\na|b \\c d\t18446744073709551615\n\t1');
  });

  it('has an apostrophe before text that a spreadsheet would run, and none before numbers', () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '"=1+1"'];
    const rows = [...formulas, 'a=1', ' '].map((path) => ({ path, n: new LosslessNumber('-1') }));
    const [, ...lines] = tsvOf(COLUMNS, rows).split('\n');
    const shown = [...formulas.map((text) => `'${text.replace(/[\t\r]/, ' ')}`), 'a=1', ' '];
    expect(lines).toEqual(shown.map((text) => `${text}\t-1`));
  });

  it('is a table of Markdown in which no value is HTML, a link, an image or code', () => {
    const path = '<img src=x> ![a](b) [a](b) `a`';
    expect(markdownOf([{ name: 'path' }], [{ path }]).split('\n')[2]).toBe(
      '| \\<img src=x> \\!\\[a](b) \\[a](b) \\`a\\` |',
    );
  });

  it('is a table of Markdown that no value breaks', () => {
    expect(markdownOf(COLUMNS, ROWS)).toBe(
      '| path | n |\n| --- | --- |\n| a\\|b\t\\\\c d | 18446744073709551615 |\n|  | 1 |',
    );
  });
});
