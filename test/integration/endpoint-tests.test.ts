import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { REFERENCE_WITHOUT_ENV } from '../support/reference-project.js';
import { QUERYGATE, runCli } from '../support/run-cli.js';
import { startProcess } from '../support/start-process.js';
import { TestedProject } from '../support/tested-project.js';
import { openForEach } from '../support/opened.js';

const ROWS = `
rows:
  visits:
    - { at: 2026-05-17T10:00:00Z, city: Rome, people: 1, share: 0.1 }
    - { at: 2026-05-17T11:30:00Z, city: Oslo, people: 2, share: 0.2 }
`;

const GOOD = {
  // The same table as the next file, with other rows.
  'tests/a.yaml': `
endpoint: visits
rows: { visits: [{ at: 2026-05-17T10:00:00Z, city: Bonn, people: 9, share: 1 }] }
calls:
  - rows: [{ city: Bonn, people: 9, share: 1 }]
  - endpoint: visits@2
    rows: [{ city: Bonn, people: 9 }]
`,
  'tests/visits.yaml': `# Comment.
${ROWS}
calls:
  - name: rows in any order
    rows: [{ city: Oslo, people: 2, share: 0.2 }, { city: Rome, people: 1, share: 0.1 }]
  - name: rows in their order
    ordered: true
    rows: [{ city: Rome, people: 1, share: 0.1 }, { city: Oslo, people: 2, share: 0.2 }]
  - name: floats within the tolerance
    tolerance: 0.05
    rows: [{ city: Rome, people: 1, share: 0.14 }, { city: Oslo, people: 2, share: 0.16 }]
  - name: some columns
    only: [city]
    rows: [{ city: Rome }, { city: Oslo }]
  - name: the list of columns, also without rows
    parameters: { city: none }
    columns: [city, people, share]
    rows: []
  - name: a key of one city
    pins: { city: Oslo }
    only: [city]
    rows: [{ city: Oslo }]
    headers: { X-Cache: MISS, X-Truncated: null }
  - name: another city than that of the key
    pins: { city: Oslo }
    parameters: { city: Rome }
    problem: FORBIDDEN
  - name: a format
    parameters: { city: Rome, format: csv }
    body: "\\"city\\",\\"people\\",\\"share\\"\\r\\n\\"Rome\\",1,0.1\\r\\n"
  - name: a name that is ignored
    parameters: { town: Rome }
    headers: { X-Ignored-Parameters: town }
  - name: a problem with its fields
    parameters: { format: none }
    problem: { status: 400, code: INVALID_PARAMETERS }
`,
  'tests/below/recent.yaml': `
endpoint: recent
now: 2026-05-17T12:00:00Z
rows: { visits: ../../visits.csv }
calls:
  - name: an hour before the clock
    rows: [{ city: Oslo }]
  - name: another clock
    now: 2026-05-17T10:30:00Z
    rows: [{ city: Rome }, { city: Oslo }]
`,
  'visits.csv': 'at,city,people,share\n2026-05-17T10:00:00Z,Rome,1,0.1\n2026-05-17T11:30:00Z,Oslo,2,0.2\n',
  'tests/_helper.yaml': 'no: test\n',
};

const project = openForEach(() => TestedProject.create());

const withoutTimes = (text: string): string => text.replaceAll(/ {2}\d+ ms/g, '');

describe('querygate test', () => {
  it('passes where every call returns what it expects, on a ClickHouse of its own', async () => {
    await project.write(GOOD);
    const { code, stdout, stderr } = await project.test();
    expect([code, stderr, withoutTimes(stdout)]).toEqual([
      0,
      '',
      [
        'ok  tests/a.yaml  2 calls',
        'ok  tests/below/recent.yaml  2 calls',
        'ok  tests/visits.yaml  10 calls',
        '14 calls passed in 3 files',
        '',
      ].join('\n'),
    ]);
    expect(await readdir(project.temporaryFolder)).toEqual([]);
    expect(existsSync(path.join(project.folder, '.data'))).toBe(false);
  });

  it('runs the calls whose name has the filter, and reads no other file for mistakes', async () => {
    await project.write({ ...GOOD, 'tests/bad.yaml': 'no: test\n' });
    const { code, stdout } = await project.test('any order');
    expect([code, withoutTimes(stdout)]).toEqual([
      0,
      'ok  tests/visits.yaml  1 call\n1 call passed in 1 file\n',
    ]);
  });

  it('shows what differs, exits with 1, and writes it as JUnit XML', async () => {
    await project.write({
      'tests/visits.yaml': `${ROWS}
calls:
  - name: a value
    rows: [{ city: Rome, people: 7, share: 0.1 }, { city: Oslo, people: 2, share: 0.2 }]
  - name: columns
    columns: [people, city, share]
  - name: a problem in place of rows
    parameters: { format: none }
    rows: []
  - name: rows in place of a problem
    problem: FORBIDDEN
  - name: a header
    headers: { X-Cache: HIT }
  - name: a body
    parameters: { format: csv, city: Rome }
    body: "\\"city\\",\\"people\\",\\"share\\"\\r\\n\\"Rome\\",1,0.2\\r\\n"
  - name: nothing
`,
      'tests/cut.yaml': `endpoint: visits
${ROWS}    - { at: 2026-05-17T12:00:00Z, city: Bonn, people: 3, share: 0.3 }
calls:
  - name: a result that the row cap has cut
    only: [city]
    rows: [{ city: Rome }, { city: Oslo }]
  - name: one that is expected to be cut
    only: [city]
    rows: [{ city: Rome }, { city: Oslo }]
    headers: { X-Truncated: "true" }
`,
    });
    const report = path.join(project.folder, 'report.xml');
    const { code, stdout } = await project.test('--junit', report);
    expect([code, withoutTimes(stdout)]).toEqual([
      1,
      `failed  tests/cut.yaml  2 calls
  a result that the row cap has cut
    the response is cut at 2 rows: expect that with headers: { X-Truncated: "true" }
failed  tests/visits.yaml  7 calls
  a value
    the rows differ (- expected, + came):
       city  people  share
    -  Rome  7       0.1
    +  =     1       =
    1 other row is as expected
  columns
    the list of columns differs
    - people, city, share
    + city, people, share
  a problem in place of rows
    it got 400 INVALID_PARAMETERS: Invalid parameters: format must be one of json, json-table, ndjson, csv, tsv, parquet, arrow, prometheus.
  rows in place of a problem
    it got 200, not a problem with {"code":"FORBIDDEN"}
  a header
    the header X-Cache differs
    - HIT
    + MISS
  a body
    line 2 of the body differs
    - "Rome",1,0.2\\r
    + "Rome",1,0.1\\r
  nothing
    it expects nothing yet: querygate test --update writes what came
8 of 9 calls failed in 2 files
`,
    ]);
    const xml = await project.read('report.xml');
    expect(xml).toContain('<testsuite name="querygate test" tests="9" failures="8"');
    expect(xml).toContain('<testcase classname="tests/visits.yaml" name="a value" file="tests/visits.yaml"');
    expect(xml).toContain('<failure message="the header X-Cache differs" type="difference">');
  });
});

describe('querygate test --watch', () => {
  const test = (people: number): string => `
rows: { visits: [{ at: 2026-05-17T10:00:00Z, city: Rome, people: 1, share: 1 }] }
calls:
  - name: the people of a city
    only: [people]
    rows: [{ people: ${people} }]
`;

  it('runs again what a change concerns, also of a schema file, until it is ended', async () => {
    await project.write({
      'tests/visits.yaml': test(1),
      'tests/other.yaml': 'calls:\n  - endpoint: visits\n    rows: []\n',
    });
    const watching = startProcess([QUERYGATE, 'test', '--watch', '--project', project.folder]);
    await watching.untilWritten(/2 calls passed in 2 files\n/);
    await project.write({ 'tests/visits.yaml': test(2) });
    await watching.untilWritten(/1 of 1 call failed in 1 file\n/);
    await project.write({ 'clickhouse-schema/0002_more.sql': 'ALTER TABLE visits ADD COLUMN more UInt8;\n' });
    await watching.untilWritten(/1 of 2 calls failed in 2 files\n/);
    await project.delete('endpoints/visits.sql');
    await watching.untilWritten(/unknown endpoint visits/);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toBe(130);
  });
});

describe('the tests of the reference project', () => {
  it('pass', async () => {
    const { code, stdout } = await runCli(['test', '--project', REFERENCE_WITHOUT_ENV]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n33 calls passed in 5 files\n$/)]);
  });
});
