import { PassThrough } from 'node:stream';

import { checkJunit } from '../../../../src/commands/cli/check/check-junit.js';
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

describe('checkJunit', () => {
  it('has all texts, without characters that XML does not have', () => {
    const problem = '<b> & "quoted" ]]> \u0000\u001B[31m\uD800 ‘é’ 🙂';
    const file = 'endpoints/a&b.sql';
    const place = { file, line: 2, column: 3, excerpt: '    x\n    ^' };
    const failed = { code: 'QUERY_FAILED', problem: 'b' } as const;
    const example = { rows: 1, truncated: false, milliseconds: 1234.5, rowsRead: 1, bytesRead: 1 };
    const xml = checkJunit(
      [
        {
          name: 'a.b',
          file,
          problems: [{ ...place, code: 'QUERY_REJECTED', problem }, failed],
          warnings: [],
          tables: [],
        },
        { name: 'slow', problems: [], warnings: ['reads all', 'and <more>'], example, tables: [] },
      ],
      { problems: [], warnings: [] },
    );
    const shown = '&lt;b&gt; &amp; &quot;quoted&quot; ]]&gt; \uFFFD\uFFFD[31m\uFFFD ‘é’ 🙂';
    const counts = 'tests="3" failures="1" errors="0" time="1.2345"';
    expect(xml.split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${counts}>`,
      `<testsuite name="querygate check" ${counts} skipped="0">`,
      '<testcase classname="querygate" name="a.b" file="endpoints/a&amp;b.sql" time="0.0000">',
      `<failure message="${shown} (and 1 more)" type="QUERY_REJECTED">endpoints/a&amp;b.sql:2:3: ${shown}&#10;    x&#10;    ^&#10;b</failure>`,
      '</testcase>',
      '<testcase classname="querygate" name="slow" time="1.2345">',
      '<system-out>warning: reads all&#10;warning: and &lt;more&gt;</system-out>',
      '</testcase>',
      '<testcase classname="querygate" name="grants" time="0.0000">',
      '</testcase>',
      '</testsuite>',
      '</testsuites>',
      '',
    ]);
  });
});
