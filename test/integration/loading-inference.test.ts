import { tableFile } from '../../src/commands/cli/load/table-file.js';
import type { Column } from '../../src/commands/loading/columns.js';
import type { CsvField } from '../../src/commands/loading/csv-record.js';
import { rowWriter } from '../../src/commands/loading/csv-row.js';
import { inferColumns, type InferredColumn, type Sample } from '../../src/commands/loading/infer-columns.js';
import type { Line } from '../../src/commands/loading/line-splitter.js';
import { useLoading } from '../support/loading.js';

const { database, load, rowsOf } = useLoading({ format: 'csv' });

const typesOf = (columns: readonly InferredColumn[]): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(({ name, type }) => [name, type]));

function infer(
  rows: readonly Readonly<Record<string, unknown>>[],
  valuesAreTexts = false,
): Promise<InferredColumn[]> {
  const fields = (row: Readonly<Record<string, unknown>>): CsvField[] =>
    Object.values(row).map((value) => ({
      text: typeof value === 'string' ? value : '',
      isQuoted: value === '',
    }));
  const read = (columns?: readonly Column[]): Line[] => {
    const write = valuesAreTexts ? rowWriter(Object.keys(rows[0] ?? {}), columns) : undefined;
    return rows.map((row, line) => ({ line, text: write?.(fields(row)) ?? JSON.stringify(row) }));
  };
  const sample = { rows: read(), rowsOf: (columns: readonly Column[]) => Promise.resolve(read(columns)) };
  return inferColumns(database.client, sample, valuesAreTexts);
}

describe('inferColumns', () => {
  it('infers types of NDJSON, nullable only where a value is null or missing', async () => {
    const uuid = '0b0e9c52-1111-4111-8111-000000000000';
    const columns = await infer([
      { i: 1, f: 1, b: true, o: { a: 1 }, l: [1], mixed: [1, 'x'], u: uuid, s: '12', n: null, shop: 'x' },
      { i: -2, f: 1.5, b: false, o: { b: [2] }, l: [], mixed: [], u: uuid, s: '7', n: 3, shop: 'x' },
      { i: 3, f: 2, b: true, o: {}, l: [4], mixed: [], u: uuid, s: 'x', n: 1, missing: true, shop: null },
    ]);
    expect(typesOf(columns)).toEqual({
      i: 'Int64',
      f: 'Float64',
      b: 'Bool',
      o: 'String',
      l: 'Array(Int64)',
      mixed: 'Array(String)',
      u: 'UUID',
      s: 'String',
      n: 'Nullable(Int64)',
      shop: 'LowCardinality(Nullable(String))',
      missing: 'Nullable(Bool)',
    });
  });

  it('infers types of the texts of CSV, and none that would change a text', async () => {
    const row = {
      id: '18446744073709551615',
      number: '-5',
      ratio: '1e3',
      zip: '01234',
      phone: '+4912345',
      serial: '123456789012345678901234',
      paid: 'True',
      day: '2026-01-02',
      birthday: '1950-01-02',
      second: '2026-01-02 03:04:05',
      micro: '2026-01-02T03:04:05.123456+02:00',
      nano: '2026-01-02 03:04:05.123456789',
      empty: null,
      word: 'a',
    };
    const columns = await infer([row, { ...row, word: '' }], true);
    expect(typesOf(columns)).toEqual({
      id: 'UInt64',
      number: 'Int64',
      ratio: 'Float64',
      zip: 'LowCardinality(String)',
      phone: 'LowCardinality(String)',
      serial: 'LowCardinality(String)',
      paid: 'Bool',
      day: 'Date',
      birthday: 'Date32',
      second: "DateTime64(3, 'UTC')",
      micro: "DateTime64(6, 'UTC')",
      nano: "DateTime64(9, 'UTC')",
      empty: 'Nullable(String)',
      word: 'String',
    });
  });

  it('throws where the lines have no fields', async () => {
    await expect(infer([{}, { '': 1 }])).rejects.toThrow('the lines have no fields with names');
  });

  it('infers texts where values have no type together, or one that would change them', async () => {
    const rows = (...values: readonly unknown[]): object[] => values.map((a) => ({ a }));
    const typeOf = async (values: readonly object[], isCsv = false): Promise<string | undefined> =>
      (await infer(values as Record<string, unknown>[], isCsv))[0]?.type;
    expect(await typeOf(rows([1], 2))).toBe('String');
    expect(await typeOf(rows([2 ** 53, 1e300], [1]))).toBe('Array(Float64)');
    for (const values of [
      ['1.10', '1.9'],
      ['12345678901234567890', '-1'],
      ['123456789012345678901', '1'],
      ['01/02/2026', '12/25/2026'],
      ['2026-02-30', '2026-01-01'],
      // Order numbers and months, which a lenient reader takes for times.
      ['20261128-0001', '20261128-0002'],
      ['2026/11', '2026/12'],
      ['May 2026', 'March 2026'],
    ])
      expect([values, await typeOf(rows(...values), true)]).toEqual([values, 'String']);
    expect(await typeOf(rows('1.50', '2.25', '3.00'), true)).toBe('Float64');
    expect(await typeOf(rows('1.0', '2.25'), true)).toBe('Float64');
    expect(await typeOf(rows('1.5', 'NaN'), true)).toBe('Float64');
    for (const list of [
      ['true', 'false'],
      ['Budget 2026', 'Election 2025'],
    ])
      expect(await typeOf(rows(list, list))).toBe('Array(String)');
  });

  it.each([
    'name',
    'text',
    'field',
    'values',
    'lines',
    'querygate_field',
    '__querygate_line',
    '__querygate_lines',
  ])('loads a file with the column %s into a new table', async (name) => {
    const table = `named_${name}`;
    const createTable = async (sample: Sample): Promise<void> => {
      const columns = await inferColumns(database.client, sample, true);
      await database.client.command({ query: tableFile(table, columns, 'a.csv') });
    };
    const csv = `${name},size,timestamp\nx,1,2026-01-01T00:00:00Z\ny,2,2026-01-02T00:00:00Z\n`;
    const now = new Date('2026-02-02T00:00:00Z');
    const report = await load(csv, { table, createTable, shiftToNow: true, now });
    expect([report.loaded, report.rejected]).toEqual([2, 0]);
    expect(
      await rowsOf(`SELECT ${name} AS a, size, toString(timestamp) AS b FROM ${table} ORDER BY a`),
    ).toEqual([
      { a: 'x', size: 1, b: '2026-02-01 00:00:00.000' },
      { a: 'y', size: 2, b: '2026-02-02 00:00:00.000' },
    ]);
  });
});
