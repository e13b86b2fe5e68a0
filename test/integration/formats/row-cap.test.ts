import { OPERATORS } from '../../../src/endpoint/figures.js';
import { FORMAT_NAMES, FORMATS } from '../../../src/gateway/formats/formats.js';
import type { QueryResult } from '../../../src/gateway/query/ports.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { readRows } from '../../support/read-formats.js';

const { fetchFormat } = useFormatQueries();

describe.each(FORMAT_NAMES)('the row cap in %s', (format) => {
  const cut = (rows: number, rowCap: number): Promise<QueryResult> =>
    fetchFormat(
      format,
      `SELECT number AS n FROM numbers({rows:UInt64}) ORDER BY n DESC`,
      { rowCap },
      { rows },
    );

  // 65,409 rows are one block of ClickHouse.
  it.each([
    [2, 3, false],
    [3, 3, false],
    [4, 3, true],
    [0, 1, false],
    [1, 1, false],
    [2, 1, true],
    [70_000, 70_000, false],
    [70_001, 70_000, true],
  ])(
    'of %i rows and a cap: the first %i of the order, and whether there are more',
    async (rows, cap, more) => {
      const result = await cut(rows, cap);
      const count = Math.min(rows, cap);
      expect([result.rowCount, result.truncated]).toEqual([count, more]);
      const read = await readRows(format, result.body);
      expect(read).toHaveLength(count);
      expect(read.findIndex(({ n }, index) => Number(n) !== rows - 1 - index)).toBe(-1);
    },
  );
});

describe.each(FORMAT_NAMES.filter((format) => 'isComplete' in FORMATS[format]))(
  'a cap that is reached in %s',
  (format) => {
    it('runs a second query with the same values, and reports the cost of both', async () => {
      const text = 'SELECT number AS n FROM numbers({rows:UInt64})';
      const result = await fetchFormat(format, text, { rowCap: 3 }, { rows: 4 });
      const { rowsRead } = result.cost.readBy(OPERATORS);
      expect([result.truncated, result.rowCount, rowsRead]).toEqual([true, 3, 7]);
    });
  },
);
