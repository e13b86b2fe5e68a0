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

  it('is a table of Markdown that no value breaks', () => {
    expect(markdownOf(COLUMNS, ROWS)).toBe(
      '| path | n |\n| --- | --- |\n| a\\|b\t\\\\c d | 18446744073709551615 |\n|  | 1 |',
    );
  });
});
