import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { REFERENCE_WITHOUT_ENV } from '../support/reference-project.js';
import { runCli } from '../support/run-cli.js';
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

  it('runs the files, the endpoints or the calls whose name has the filter', async () => {
    await project.write(GOOD);
    expect(withoutTimes((await project.test('any order')).stdout)).toBe(
      'ok  tests/visits.yaml  1 call\n1 call passed in 1 file\n',
    );
    expect(withoutTimes((await project.test('visits@2')).stdout)).toBe(
      'ok  tests/a.yaml  1 call\n1 call passed in 1 file\n',
    );
    const none = await project.test('nothing of this name');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('"nothing of this name"')]);
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
    });
    const report = path.join(project.folder, 'report.xml');
    const { code, stdout } = await project.test('--junit', report);
    expect([code, withoutTimes(stdout)]).toEqual([
      1,
      `failed  tests/visits.yaml  7 calls
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
7 of 7 calls failed in 1 file
`,
    ]);
    const xml = await project.read('report.xml');
    expect(xml).toContain('<testsuite name="querygate test" tests="7" failures="7"');
    expect(xml).toContain('<testcase classname="tests/visits.yaml" name="a value" file="tests/visits.yaml"');
    expect(xml).toContain('<failure message="the header X-Cache differs" type="difference">');
  });

  it('takes a result that the row cap has cut for a difference, unless the test expects that', async () => {
    const third = '    - { at: 2026-05-17T12:00:00Z, city: Bonn, people: 3, share: 0.3 }\n';
    const calls = (more: string): string =>
      `${ROWS}${third}calls:\n  - name: cut\n    only: [city]\n    rows: [{ city: Rome }, { city: Oslo }]\n${more}`;
    await project.write({ 'tests/visits.yaml': calls('') });
    expect((await project.test()).stdout).toContain(
      'the response is cut at 2 rows: expect that with headers: { X-Truncated: "true" }',
    );
    await project.write({ 'tests/visits.yaml': calls('    headers: { X-Truncated: "true" }\n') });
    expect((await project.test()).code).toBe(0);
  });

  it('writes what came with --update, and leaves all else as it is', async () => {
    await project.write({
      'tests/visits.yaml': `# What visits returns.
${ROWS}
calls:
  - name: new # not yet
    parameters: { city: "Rome" }
  - name: other rows
    only: [ city, people ]
    rows:
      - { city: Rome, people: 7 }
  - name: a new problem
    parameters: { format: none }
  - name: a header
    parameters: { format: csv, city: Rome }
    body: ""
    headers: { X-Row-Count: "7" }
  - name: passes
    columns: [ city, people, share ]
`,
    });
    const updated = await project.test('--update');
    expect([updated.code, updated.stdout]).toEqual([0, expect.stringContaining('; 4 updated\n')]);
    expect(await project.read('tests/visits.yaml')).toBe(`# What visits returns.

rows:
  visits:
    - { at: 2026-05-17T10:00:00Z, city: Rome, people: 1, share: 0.1 }
    - { at: 2026-05-17T11:30:00Z, city: Oslo, people: 2, share: 0.2 }

calls:
  - name: new # not yet
    parameters: { city: "Rome" }
    rows:
      - { city: Rome, people: 1, share: 0.1 }
  - name: other rows
    only: [ city, people ]
    rows:
      - { city: Rome, people: 1 }
      - { city: Oslo, people: 2 }
  - name: a new problem
    parameters: { format: none }
    problem: INVALID_PARAMETERS
  - name: a header
    parameters: { format: csv, city: Rome }
    body: "\\"city\\",\\"people\\",\\"share\\"\\r\\n\\"Rome\\",1,0.1\\r\\n"
    headers: { X-Row-Count: "1" }
  - name: passes
    columns: [ city, people, share ]
`);
    expect((await project.test()).code).toBe(0);
  });
});

describe('the tests of the reference project', () => {
  it('pass', async () => {
    const { code, stdout } = await runCli(['test', '--project', REFERENCE_WITHOUT_ENV]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n33 calls passed in 5 files\n$/)]);
  });
});
