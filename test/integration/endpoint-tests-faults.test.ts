import { TestedProject } from '../support/tested-project.js';
import { openForEach } from '../support/opened.js';

const SECRET = `rows: { visits: [{ at: 2026-05-17T10:00:00Z, city: Rome, people: 1, share: 0.1 }] }
calls:
  - parameters: { word: w }
    only: [city]
    rows: [{ city: Rome }]
`;

const project = openForEach(() => TestedProject.create());

/** What is written wrong, the text of the file, and what is said of it. */
const MISTAKES: readonly (readonly [what: string, text: string, said: RegExp])[] = [
  [
    'a column',
    'rows: { visits: [{ citi: Rome }] }\ncalls: [{ rows: [] }]',
    /:1:20: .*unknown column citi of visits; did you mean city\?/,
  ],
  [
    'a table',
    'rows: { visit: [] }\ncalls: [{ rows: [] }]',
    /:1:9: rows names the unknown table visit; did you mean visits\?/,
  ],
  [
    'an expected column',
    'calls:\n  - rows: [{ peple: 1 }]',
    /:2:14: .*unknown column peple of visits; did you mean people\?/,
  ],
  [
    'a type',
    'rows: { visits: [{ city: Rome, people: many }] }\ncalls: [{ rows: [] }]',
    /:1:40: ClickHouse cannot read this row of visits: people "many" does not fit UInt64/,
  ],
  [
    'a row of a file',
    'rows: { visits: bad.csv }\ncalls: [{ rows: [] }]',
    /bad\.csv:3: ClickHouse cannot read this row of visits: people "many"/,
  ],
  [
    'a file of rows',
    'rows: { visits: none.csv }\ncalls: [{ rows: [] }]',
    /:1:17: there is no file none\.csv beside this one/,
  ],
  [
    'an endpoint',
    'endpoint: visit\ncalls: [{ rows: [] }]',
    /:1:11: .*unknown endpoint visit; did you mean visits\?/,
  ],
  [
    'the endpoint of a call',
    'calls:\n  - endpoint: recnt\n    rows: []',
    /:2:15: .*unknown endpoint recnt; did you mean recent\?/,
  ],
  [
    'a parameter',
    'calls:\n  - parameters: { citi: Rome }\n    rows: []',
    /:2:19: .*undeclared parameter "citi"; did you mean "city"\?/,
  ],
  [
    'a pin',
    'calls:\n  - pins: { citi: Rome }\n    rows: []',
    /:2:13: .*undeclared parameter "citi"; did you mean "city"\?/,
  ],
  [
    'a key',
    'calls:\n  - paramters: {}\n    rows: []',
    /:2:5: unknown key `calls\.0\.paramters`; did you mean `calls\.0\.parameters`\?/,
  ],
  [
    'a time',
    'now: soon\ncalls: [{ rows: [] }]',
    /:1:6: now "soon" must be a time such as 2026-05-17T12:00:00Z/,
  ],
  ['no calls', 'rows: {}', /calls is missing; it must be a list of calls, at least one/],
  ['YAML', 'calls:\n  - name: a\n   rows: []', /:3:\d+: the file is invalid YAML: /],
  [
    'a missing clock',
    'endpoint: recent\ncalls: [{ rows: [] }]',
    /:2:\d+: the rows of recent depend on the time of the call: write one in the file, such as now: /,
  ],
  [
    'the clock of ClickHouse',
    'endpoint: clock\nnow: 2026-05-17\ncalls: [{ rows: [] }]',
    /:3:\d+: the query of clock calls now\(\), .* write @now instead/,
  ],
];

describe('a test file with a mistake', () => {
  it('is named with the place of the mistake, whatever that is, and the exit code is 2', async () => {
    const files = MISTAKES.map(([, text], at) => [
      [`tests/${at}/visits.yaml`, text],
      [`tests/${at}/bad.csv`, 'city,people\nRome,1\nOslo,many\n'],
    ]);
    await project.write({
      ...(Object.fromEntries(files.flat()) as Record<string, string>),
      'tests/secret/visits.yaml': SECRET,
    });
    const { code, stdout } = await project.test();
    expect(code).toBe(2);
    // The value of a secret parameter is sent in a body.
    expect(stdout).toMatch(
      /ok {2}tests\/secret\/visits\.yaml {2}1 call .*\nwarning: tests\/secret\/visits\.yaml:3:\d+: calls\.0\.parameters has a value of the secret parameter "word"/,
    );
    // From the first line of a file to that of the next one.
    const said = stdout.split(/^(?=error: )/m);
    for (const [at, [what, , expected]] of MISTAKES.entries()) {
      const of = said.filter((text) => text.startsWith(`error: tests/${at}/`)).join('');
      expect([what, of]).toEqual([what, expect.stringMatching(expected)]);
      // A row of a CSV file has no excerpt.
      expect([what, of.includes('^')]).toEqual([what, !of.includes('bad.csv:')]);
    }
  });

  it('exits with 1 and the problem of an endpoint file that is invalid, and with 2 where there are no tests', async () => {
    const none = await project.test();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('There are no test files in ')]);
    await project.write({ 'tests/bad.yaml': 'no: test\n' });
    const other = await project.test('nothing of this name');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('"nothing of this name"')]);
    expect(await project.test('bad')).toMatchObject({ code: 2, stderr: '' });
    await project.write({ 'tests/visits.yaml': 'calls: [{ rows: [] }]', 'endpoints/broken.sql': 'SELECT 1' });
    const broken = await project.test();
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('endpoints/broken.sql:1:1: ')]);
  });
});
