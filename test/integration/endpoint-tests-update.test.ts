import { TestedProject } from '../support/tested-project.js';
import { openForEach } from '../support/opened.js';

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
  'some fields of a problem and some headers': [
    `calls:\n  - parameters: { format: none }\n    problem: { code: NO,\n      status: 400 }\n  - headers:\n      X-Cache: HIT # no\n      X-Row-Count: "2"\n`,
    `calls:\n  - parameters: { format: none }\n    problem: { code: INVALID_PARAMETERS,\n      status: 400 }\n  - headers:\n      X-Cache: MISS # no\n      X-Row-Count: "2"\n`,
  ],
};

const project = openForEach(() => TestedProject.create());

describe('querygate test --update', () => {
  it.each([
    ['\n', ''],
    ['\r\n', '\u{FEFF}'],
  ])('changes nothing but what differs, with line ends %j after %j', async (lineEnd, start) => {
    const names = Object.keys(SHAPES);
    const textOf = (name: string, at: 0 | 1): string =>
      start + `${ROWS}${SHAPES[name]?.[at] ?? ''}`.replaceAll('\n', lineEnd);
    const fileOf = (name: string): string => `tests/${names.indexOf(name)}.yaml`;
    await project.write(Object.fromEntries(names.map((name) => [fileOf(name), textOf(name, 0)])));
    expect((await project.test('--update')).code).toBe(0);
    const written = async (): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await project.read(fileOf(name))] as const)),
      );
    const expected = Object.fromEntries(names.map((name) => [name, textOf(name, 1)]));
    expect(await written()).toEqual(expected);
    const again = await project.test('--update');
    expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining('updated')]);
    expect(await written()).toEqual(expected);
  });

  it('leaves what an alias stands for, and failures that nobody would expect, and exits with 1', async () => {
    await project.write({
      'tests/a.yaml': `${ROWS}calls:\n  - rows: &r []\n  - rows: *r\n`,
      'tests/b.yaml': `endpoint: exact\nrows: { lines: [] }\ncalls: [{ rows: [] }]\n`,
      'clickhouse-schema/0002_broken.sql': 'DROP TABLE exact;\n',
    });
    const before = await project.read('tests/b.yaml');
    const { code, stdout } = await project.test('--update');
    expect([code, stdout]).toEqual([1, expect.stringContaining('it got 500 ENDPOINT_INVALID: ')]);
    expect(await project.read('tests/b.yaml')).toBe(before);
    expect(await project.read('tests/a.yaml')).toContain('rows: &r []');
  });

  it('cannot be combined with --watch', async () => {
    const { code, stderr } = await project.test('--update', '--watch');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--update and --watch exclude each other')]);
  });
});
