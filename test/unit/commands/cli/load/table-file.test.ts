import { tableFile } from '../../../../../src/commands/cli/load/table-file.js';
import type { InferredColumn } from '../../../../../src/commands/loading/infer-columns.js';

const column = (name: string, use: InferredColumn['use'], distinct: number): InferredColumn => ({
  name,
  type: 'String',
  use,
  distinct,
  isMoney: false,
});

const orderOf = (...columns: readonly InferredColumn[]): string | undefined =>
  /^ORDER BY (.*);$/m.exec(tableFile('t', columns, 't.csv'))?.[1];

describe('tableFile', () => {
  it('sorts by the two columns with the fewest values, then by timestamp, else the first time', () => {
    const categories = [
      column('path', 'category', 900),
      column('city', 'category', 20),
      column('select', 'category', 3),
      column('user', 'category', 5000),
    ];
    expect(orderOf(column('made', 'time', 9), ...categories, column('timestamp', 'time', 9))).toBe(
      '(`select`, city, timestamp)',
    );
    expect(orderOf(column('made', 'time', 9), column('sold', 'time', 9))).toBe('made');
    expect(orderOf(column('a', 'other', 1), column('user', 'category', 5000))).toBe('tuple()');
  });

  it('quotes names only where they need it, and keeps the name of the file on one line', () => {
    const text = tableFile('t', [column('a b', 'other', 1), column('c', 'other', 1)], 'x;\nDROP.csv');
    expect(text).toContain('(\n    `a b` String,\n    c String\n)');
    expect(text.split('\n')[0]).toContain(' x; DROP.csv ');
  });
});
