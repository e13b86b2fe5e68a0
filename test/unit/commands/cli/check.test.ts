import { PassThrough } from 'node:stream';

import { checkTable } from '../../../../src/commands/cli/check/check-report.js';
import type { CheckedEndpoint, TableRead } from '../../../../src/commands/check/checked-endpoint.js';
import { fullScans } from '../../../../src/commands/check/full-scans.js';

const TABLE: TableRead = {
  database: 'logs',
  table: 'edge_logs',
  rows: 1000,
  reads: 1,
  parts: { read: 1, of: 3 },
  granules: { read: 5, of: 100 },
};

describe('fullScans', () => {
  const read = (granules: number, of: number): TableRead => ({ ...TABLE, granules: { read: granules, of } });

  it('warns of reading nearly all granules of a table that is not tiny', () => {
    expect(fullScans([read(90, 100)])).toEqual([
      'full scan: the example reads 90 % of edge_logs (90 of 100 granules, about 1,000 rows). ' +
        'Filter the first columns of its sorting key or its partition key, or cache the result for longer',
    ]);
    expect(fullScans([read(89, 100)])).toEqual([]);
    expect(fullScans([{ ...read(95, 200), reads: 2 }])).toHaveLength(1);
    expect(fullScans([{ ...read(80, 80), reads: 2 }])).toEqual([]);
    expect(fullScans([read(63, 63)])).toEqual([]);
    expect(fullScans([read(0, 0)])).toEqual([]);
  });
});

describe('checkTable', () => {
  const example = { rows: 1000, truncated: true, milliseconds: 12.34, rowsRead: 5000, bytesRead: 1 };
  const fine: CheckedEndpoint = {
    name: 'a',
    problems: [],
    warnings: [],
    example,
    tables: [TABLE, { ...TABLE, table: 'u' }],
  };

  it('has a line for each endpoint and each further table', () => {
    const broken: CheckedEndpoint = {
      name: 'b',
      problems: [{ code: 'QUERY_FAILED', problem: 'x' }],
      warnings: [],
      tables: [],
    };
    const stream = new PassThrough() as unknown as NodeJS.WriteStream;
    const table = checkTable([fine, broken], stream);
    const lines = table.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toEqual([
      ['ENDPOINT', 'STATE', 'ROWS', 'TIME', 'ROWS READ', 'TABLE', 'PARTS', 'GRANULES'],
      ['a', 'ok', '1,000+', '12.3 ms', '5,000', 'edge_logs', '1 of 3', '5 of 100'],
      ['', 'u', '1 of 3', '5 of 100'],
      ['b', 'FAULT', '-', '-', '-', '-', '-', '-'],
      [''],
    ]);
  });
});
