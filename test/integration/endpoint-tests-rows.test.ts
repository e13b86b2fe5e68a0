import { openForAll } from '../support/opened.js';
import { reportsOf, TestedProject } from '../support/tested-project.js';

const ROW = {
  id: '18446744073709551615',
  d: '12345678901234567890.0123456789',
  t: '2026-05-17T10:00:00.123456789Z',
};
const OTHERS = {
  id: '18446744073709551614',
  d: '12345678901234567890.0123456788',
  t: '2026-05-17T10:00:00.123456788Z',
};

const written = (values: object): string =>
  `{ ${Object.entries(values)
    .map(([name, text]) => `${name}: ${String(text)}`)
    .join(', ')} }`;
const exact = (s: string): string => written({ ...ROW, s, f: '{ a: 0.1 }' });

const LINES = 'rows: { lines: [{ n: 1 }] }\ncalls: [{ endpoint: lines, rows: [{ n: 1 }] }]\n';

/** Conditions of queries, and the calls in them whose values differ from run to run. */
const CONDITIONS = [
  ['rand() % 2', 'rand()'],
  ['generateUUIDv4() != generateUUIDv7()', 'generateUUIDv4()'],
  ["city IN (SELECT city FROM visits ORDER BY if(city = '', 0, rand64()) LIMIT 1)", 'rand64()'],
  ['now64 (3) > at', 'now64()'],
  ["currentDatabase() != parseDateTimeBestEffort('2026-05-17 10:00') || timezone() || 'rand()'", undefined],
] as const;

const FILES = {
  'tests/exact.yaml': `rows: { exact: [${exact('007')}, ${exact('1.10')}] }
calls:
  - rows: [${exact('"007"')}, ${exact('1.10')}]
  - tolerance: 0.01
    only: [f]
    rows: [{ f: { a: 0.1001 } }, { f: { a: 0.1 } }]
  - name: the endpoint allows two requests
    only: [s]
    rows: [{ s: 1.10 }, { s: 007 }]
`,
  'tests/last-digits.yaml': `endpoint: exact
rows: { exact: [${written(ROW)}] }
calls: [${Object.entries(OTHERS)
    .map(([name, text]) => `{ only: [id, d, t], rows: [${written({ ...ROW, [name]: text })}] }`)
    .join(', ')}]
`,
  'tests/one.yaml': LINES,
  'tests/other.yaml': LINES,
  'tests/not-inserted.yaml': LINES.replace('rows: { lines', 'rows: { all_lines'),
  'tests/view.yaml': 'calls: [{ rows: [] }, { rows: [] }]\n',
  'tests/visits.yaml': 'calls:\n  - parameters: { word: hush, city: Rome }\n    rows: [{ city: Rome }]\n',
};

describe('the rows of a test', () => {
  const project = openForAll(() => TestedProject.create());
  let reports: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await project.write(FILES);
    const view = await project.read('endpoints/view.sql');
    for (const [at, [condition]] of CONDITIONS.entries())
      await project.write({
        [`endpoints/random${at}.sql`]: view
          .replace('name: view', `name: random${at}`)
          .replace('000000000007', `00000000001${at}`)
          .replace(/SELECT .*/, () => `SELECT city FROM visits WHERE ${condition}`),
        [`tests/random${at}.yaml`]: 'calls: [{ rows: [] }]\n',
      });
    const outcome = await project.test('--junit', `${project.folder}/report.xml`);
    expect([outcome.code, outcome.stderr]).toEqual([2, '']);
    reports = reportsOf(outcome);
  });

  it('are those that the file has, digit by digit, and none is replaced or limited', () => {
    expect(reports['exact']).toMatch(/^ok {2}tests\/exact\.yaml {2}3 calls/);
  });

  it('differ in the last digit', () => {
    const report = reports['last-digits'] ?? '';
    expect(report.match(/the rows differ/g)).toHaveLength(3);
    for (const value of [OTHERS.id, ROW.id]) expect(report).toContain(`-  ${value}`);
  });

  it('of one file are not there for the next, whatever the engine of the table', () => {
    expect([reports['one'], reports['other']]).toEqual(Array(2).fill(expect.stringMatching(/^ok/)));
  });

  it('that ClickHouse cannot insert are a problem of their file', () => {
    expect(reports['not-inserted']).toMatch(
      /error: tests\/not-inserted\.yaml:1:\d+: (?!ClickHouse is unreachable)/,
    );
  });

  it('are rejected where a view reads the clock of ClickHouse', () => {
    expect(reports['view']?.match(/the query of view calls today\(\)/g)).toHaveLength(1);
  });

  it.each(CONDITIONS.map(([condition, call], at) => [condition, call, at] as const))(
    'are rejected where they differ from run to run: %s',
    (_condition, call, at) => {
      const report = reports[`random${at}`] ?? '';
      const found = / calls (\S+), so that its rows differ from one run to the next/.exec(report);
      expect([found?.[1], report.startsWith('ok')]).toEqual([call, call === undefined]);
    },
  );

  it('show no value of a secret parameter', async () => {
    expect(reports['visits']).toContain('  word=… city=Rome\n');
    expect(Object.values(reports).join() + (await project.read('report.xml'))).not.toContain('hush');
  });
});
