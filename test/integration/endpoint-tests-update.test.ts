import type { Outcome } from '../support/run-cli.js';
import { openForAll } from '../support/opened.js';
import { reportsOf, TestedProject } from '../support/tested-project.js';

const ROWS = `endpoint: visits@2
rows:
  visits:
    - { at: 2026-05-17T10:00:00Z, city: Oslo, people: 1, share: 0.1 }
    - { at: 2026-05-17T11:30:00Z, city: Rome, people: 2, share: 0.2 }
`;

const BLOCK = (indent: string): string =>
  `${indent}- { city: Oslo, people: 1 }\n${indent}- { city: Rome, people: 2 }\n`;
const FLOW = '[{ city: Oslo, people: 1 }, { city: Rome, people: 2 }]';

/** What follows the rows of tables, and what that is after an update. */
const SHAPES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'comments of rows that are as expected': [
    `calls:\n  - name: x\n    rows:\n      # one\n      - { city: Oslo,  people: 1 } # first\n      # two\n      - { city: Rome, people: 9 }\n    # after\n`,
    `calls:\n  - name: x\n    rows:\n      # one\n      - { city: Oslo,  people: 1 } # first\n      - { city: Rome, people: 2 }\n    # after\n`,
  ],
  'calls on one line': [
    `calls: [{ name: x }, { name: y, rows: [] }, {}]\n`,
    `calls: [{ name: x, rows: ${FLOW} }, { name: y, rows: ${FLOW} }, { rows: ${FLOW} }]\n`,
  ],
  'lists without indentation, and rows of lines': [
    `calls:\n- name: x\n  rows: []\n- rows:\n  - city: Oslo\n    people: 1 # kept\n  - city: Bonn\n    people: 2\n  name: after\n`,
    `calls:\n- name: x\n  rows:\n${BLOCK('    ')}- rows:\n  - city: Oslo\n    people: 1 # kept\n  - { city: Rome, people: 2 }\n  name: after\n`,
  ],
  'a last line without a line break': [
    `calls:\n    -   name:   x`,
    `calls:\n    -   name:   x\n        rows:\n${BLOCK('          ')}`,
  ],
  'a text of lines': [
    `calls:\n  - parameters: { format: csv }\n    body: |\n      a\n      b\n    name: x\n`,
    `calls:\n  - parameters: { format: csv }\n    body: "\\"city\\",\\"people\\"\\r\\n\\"Oslo\\",1\\r\\n\\"Rome\\",2\\r\\n"\n    name: x\n`,
  ],
  'rows in place of a problem, and the reverse': [
    `calls:\n  - problem: NO # never\n    name: x\n  - parameters: { format: none }\n    rows: []\n`,
    `calls:\n  - name: x\n    rows:\n${BLOCK('      ')}  - parameters: { format: none }\n    problem: INVALID_PARAMETERS\n`,
  ],
  'a new problem, and some columns of the rows': [
    `calls:\n  - parameters: { format: none }\n  - only: [ city ]\n    rows:\n      - { city: Rome, people: 7 }\n`,
    `calls:\n  - parameters: { format: none }\n    problem: INVALID_PARAMETERS\n  - only: [ city ]\n    rows:\n      - { city: Oslo }\n      - { city: Rome, people: 7 }\n`,
  ],
  'some fields of a problem and some headers': [
    `calls:\n  - parameters: { format: none }\n    problem: { code: NO,\n      status: 400 }\n  - headers:\n      X-Cache: HIT # no\n      X-Row-Count: "2"\n`,
    `calls:\n  - parameters: { format: none }\n    problem: { code: INVALID_PARAMETERS,\n      status: 400 }\n  - headers:\n      X-Cache: MISS # no\n      X-Row-Count: "2"\n`,
  ],
};

/** The shapes in files, with both line ends. @param at 0 before and 1 after an update */
const filesWith = (at: 0 | 1): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(SHAPES).flatMap((shape, index) => [
      [`tests/${index}.yaml`, ROWS + shape[at]],
      [`tests/${index}-crlf.yaml`, `\u{FEFF}${`${ROWS}${shape[at]}`.replaceAll('\n', '\r\n')}`],
    ]),
  );

/** What the command must not change: what an alias stands for is elsewhere, and nobody expects a failure. */
const LEFT = {
  'tests/alias.yaml': `${ROWS}calls:\n  - rows: &r []\n  - rows: *r\n`,
  'tests/failure.yaml': `endpoint: exact\nrows: { lines: [] }\ncalls: [{ rows: [] }]\n`,
};

const PAGED = `endpoint: paged
now: 2026-05-17
rows: { visits: [{ at: 2026-05-17, city: Rome, people: 1, share: 1 }, { at: 2026-05-17, city: Oslo, people: 2, share: 1 }] }
calls:
  - { only: [city], rows: [{ city: Rome }], headers: { X-Truncated: "true", X-Next-Cursor: none } }
`;

describe('querygate test --update', () => {
  const project = openForAll(() => TestedProject.create());
  const read = async (files: object): Promise<unknown> =>
    Object.fromEntries(
      await Promise.all(Object.keys(files).map(async (file) => [file, await project.read(file)] as const)),
    );
  let updated: Outcome;
  let again: Outcome;

  beforeAll(async () => {
    const visits = await project.read('endpoints/visits.sql');
    await project.write({
      ...filesWith(0),
      ...LEFT,
      'clickhouse-schema/0002_broken.sql': 'DROP TABLE exact;\n',
      'endpoints/paged.sql': visits
        .replace(/^name: visits\nid: .*/m, 'name: paged\nid: 7d1f0c04-5cb3-41e7-907b-000000000008')
        .replace('maxRows: 2', 'maxRows: 1\npages: { by: [people] }')
        .replace(' ORDER BY people', ''),
      'tests/paged.yaml': PAGED,
    });
    updated = await project.test('--update');
    // The cursor that came, with which a second call gets the next page.
    const paged = await project.read('tests/paged.yaml');
    const [cursor] = /(?<=X-Next-Cursor: )[^ ,]+/.exec(paged) ?? [];
    const next = `  - { parameters: { cursor: ${String(cursor)} }, only: [city], rows: [{ city: Oslo }] }\n`;
    await project.write({ 'tests/paged.yaml': paged + next });
    again = await project.test('--update');
  });

  it('changes nothing but what differs, whatever the line ends, and nothing when it is repeated', async () => {
    expect(await read(filesWith(1))).toEqual(filesWith(1));
    expect([updated.stdout, again.stdout]).toEqual([
      expect.stringMatching(/; \d+ updated\n$/),
      expect.not.stringContaining('updated'),
    ]);
  });

  it('leaves what an alias stands for, and failures that nobody would expect, and exits with 1', async () => {
    expect([updated.code, updated.stdout]).toEqual([
      1,
      expect.stringContaining('it got 500 ENDPOINT_INVALID: '),
    ]);
    expect(await read(LEFT)).toMatchObject({
      'tests/alias.yaml': expect.stringContaining('rows: &r []') as unknown,
      'tests/failure.yaml': LEFT['tests/failure.yaml'],
    });
  });

  it('writes the cursor of a page, which is the same in each run', () => {
    expect(reportsOf(again)['paged']).toMatch(/^ok {2}tests\/paged\.yaml {2}2 calls/);
  });

  it('cannot be combined with --watch', async () => {
    const { code, stderr } = await project.test('--update', '--watch');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("'--update' cannot be used with option '--watch'"),
    ]);
  });
});
