import { checkTable } from '../../../src/cli/check/check-report.js';
import type { CheckedEndpoint } from '../../../src/cli/check/checked-endpoint.js';
import { compareColumns } from '../../../src/cli/check/compare-columns.js';
import { fullScans } from '../../../src/cli/check/full-scans.js';

const declared = new Map([
  ['hour', { type: 'DateTime' }],
  ['count', { type: 'UInt64' }],
]);
const hour = { name: 'hour', type: 'DateTime' };
const count = { name: 'count', type: 'UInt64' };

describe('compareColumns', () => {
  it.each([
    ['nothing for equal columns', [hour, count], []],
    [
      'another type',
      [hour, { ...count, type: 'Int64' }],
      ['column count is declared as UInt64, but the query returns Int64'],
    ],
    ['a missing column', [hour], ['column count is declared, but the query does not return it']],
    [
      'an undeclared column',
      [hour, count, { name: 'more', type: 'String' }],
      ['column more String is returned by the query, but not declared'],
    ],
    [
      'another order',
      [count, hour],
      ['the query returns the columns in another order than declared: count, hour'],
    ],
  ])('reports %s', (_what, described, faults) => {
    expect(compareColumns(declared, described).map(({ problem }) => problem)).toEqual(faults);
  });
});

describe('fullScans', () => {
  const estimate = { table: 'edge_logs', parts: 3, rows: 1000, marks: 90, tableMarks: 100 };

  it('warns of reading nearly all marks of a table that is not tiny', () => {
    expect(fullScans([estimate])).toEqual([
      'full scan: the example reads 90 % of edge_logs (90 of 100 marks, about 1,000 rows)',
    ]);
    expect(fullScans([{ ...estimate, marks: 89 }])).toEqual([]);
    expect(fullScans([{ ...estimate, marks: 63, tableMarks: 63 }])).toEqual([]);
    expect(fullScans([{ ...estimate, marks: 0, tableMarks: 0 }])).toEqual([]);
  });
});

describe('checkTable', () => {
  const fine: CheckedEndpoint = {
    name: 'a',
    faults: [],
    warnings: [],
    rows: 1000,
    truncated: true,
    milliseconds: 12.34,
    rowsRead: 5000,
    bytesRead: 1,
    estimate: [
      { table: 't', parts: 1, rows: 2, marks: 3, tableMarks: 4 },
      { table: 'u', parts: 1, rows: 2, marks: 3, tableMarks: 4 },
    ],
  };

  it('has a line for each endpoint and each further table', () => {
    const broken = {
      ...fine,
      name: 'b',
      faults: ['x'],
      rows: undefined,
      milliseconds: undefined,
      rowsRead: undefined,
    };
    const table = checkTable([fine, { ...broken, estimate: [] }], { stream: {}, environment: {} });
    const lines = table.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines.slice(1)).toEqual([
      ['a', 'ok', '1,000+', '12.3 ms', '5,000', 't: 1, 2, 3 of 4'],
      ['', 'u: 1, 2, 3 of 4'],
      ['b', 'FAULT', '-', '-', '-', '-'],
      [''],
    ]);
  });
});
