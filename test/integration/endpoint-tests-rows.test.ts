import { TestedProject } from '../support/tested-project.js';
import { openForEach } from '../support/opened.js';

const project = openForEach(() => TestedProject.create());

describe('the rows of a test', () => {
  it('are those that the file has, digit by digit, and none is replaced or limited', async () => {
    const row = (more: string): string =>
      `{ id: 18446744073709551615, d: 12345678901234567890.0123456789, t: 2026-05-17T10:00:00.123456789Z, s: ${more}, f: { a: 0.1 } }`;
    await project.write({
      'tests/exact.yaml': `rows: { exact: [${row('007')}, ${row('1.10')}] }
calls:
  - rows: [${row('"007"')}, ${row('1.10')}]
  - tolerance: 0.01
    only: [f]
    rows: [{ f: { a: 0.1001 } }, { f: { a: 0.1 } }]
  - name: the endpoint allows two requests
    only: [s]
    rows: [{ s: 1.10 }, { s: 007 }]
`,
    });
    const { code, stdout } = await project.test();
    expect([stdout, code]).toEqual([expect.stringContaining('3 calls passed'), 0]);
  });

  it('differ in the last digit', async () => {
    const row = {
      id: '18446744073709551615',
      d: '12345678901234567890.0123456789',
      t: '2026-05-17T10:00:00.123456789Z',
    };
    const others = {
      id: '18446744073709551614',
      d: '12345678901234567890.0123456788',
      t: '2026-05-17T10:00:00.123456788Z',
    };
    const written = (values: object): string =>
      `{ ${Object.entries(values)
        .map(([name, text]) => `${name}: ${String(text)}`)
        .join(', ')} }`;
    const calls = Object.entries(others).map(
      ([name, value]) =>
        `  - { name: of ${name}, only: [id, d, t], rows: [${written({ ...row, [name]: value })}] }\n`,
    );
    await project.write({
      'tests/exact.yaml': `rows: { exact: [${written(row)}] }\ncalls:\n${calls.join('')}`,
    });
    const { code, stdout } = await project.test();
    expect(code).toBe(1);
    expect(stdout).toContain('3 of 3 calls failed');
    for (const value of [others.id, row.id]) expect(stdout).toContain(`-  ${value}`);
  });

  it('of one file are not there for the next, whatever the engine of the table', async () => {
    const lines = 'rows: { lines: [{ n: 1 }] }\ncalls: [{ endpoint: lines, rows: [{ n: 1 }] }]\n';
    await project.write({ 'tests/a.yaml': lines, 'tests/b.yaml': lines });
    expect((await project.test()).code).toBe(0);
  });

  it('that ClickHouse cannot insert are a problem of their file, and the others run', async () => {
    await project.write({
      'tests/a.yaml': 'rows: { all_lines: [{ n: 1 }] }\ncalls: [{ endpoint: lines, rows: [] }]\n',
      'tests/b.yaml': 'rows: { lines: [] }\ncalls: [{ endpoint: lines, rows: [] }]\n',
    });
    const { code, stdout } = await project.test();
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(
        /error: tests\/a\.yaml:1:\d+: (?!ClickHouse is unreachable)[^]*ok {2}tests\/b\.yaml/,
      ),
    ]);
  });
});

describe('a test', () => {
  it('of a view that reads the clock of ClickHouse is rejected', async () => {
    await project.write({ 'tests/view.yaml': 'calls: [{ rows: [] }, { rows: [] }]\n' });
    const { code, stdout } = await project.test();
    expect([code, stdout.match(/the query of view calls today\(\)/g)]).toEqual([2, [expect.any(String)]]);
  });

  it('of values that differ from run to run is rejected', async () => {
    const conditions = [
      ['rand() % 2', 'rand()'],
      ['generateUUIDv4() != generateUUIDv7()', 'generateUUIDv4()'],
      ["city IN (SELECT city FROM visits ORDER BY if(city = '', 0, rand64()) LIMIT 1)", 'rand64()'],
      ['now64 (3) > at', 'now64()'],
      [
        "currentDatabase() != parseDateTimeBestEffort('2026-05-17 10:00') || timezone() || 'rand()'",
        undefined,
      ],
    ] as const;
    const view = await project.read('endpoints/view.sql');
    for (const [at, [condition]] of conditions.entries())
      await project.write({
        [`endpoints/random${at}.sql`]: view
          .replace('name: view', `name: random${at}`)
          .replace('000000000007', `00000000001${at}`)
          .replace(/SELECT .*/, () => `SELECT city FROM visits WHERE ${condition}`),
        [`tests/random${at}.yaml`]: 'calls: [{ rows: [] }]\n',
      });
    const { code, stdout } = await project.test();
    const found = stdout.matchAll(
      /random(\d) calls (\S+), so that its rows differ from one run to the next/g,
    );
    expect([code, [...found].map(([, at, call]) => [Number(at), call])]).toEqual([
      2,
      conditions.flatMap(([, call], at) => (call === undefined ? [] : [[at, call]])),
    ]);
    expect(stdout).toContain('ok  tests/random4.yaml');
  });

  it('shows no value of a secret parameter', async () => {
    await project.write({
      'tests/visits.yaml': 'calls:\n  - parameters: { word: hush, city: Rome }\n    rows: [{ city: Rome }]\n',
    });
    const report = `${project.folder}/report.xml`;
    const { stdout, stderr } = await project.test('--junit', report);
    expect(stdout).toContain('  word=… city=Rome\n');
    expect(stdout + stderr + (await project.read('report.xml'))).not.toContain('hush');
  });

  it('that a filter does not choose is not read for mistakes', async () => {
    await project.write({
      'tests/good.yaml': 'endpoint: visits\ncalls: [{ rows: [] }]\n',
      'tests/bad.yaml': 'no: test\n',
    });
    expect((await project.test('good')).code).toBe(0);
    expect((await project.test('bad')).code).toBe(2);
  });

  it('can have the cursor of a page, which is the same in each run', async () => {
    const source = await project.read('endpoints/visits.sql');
    await project.write({
      'endpoints/visits.sql': source
        .replace('maxRows: 2', 'maxRows: 1\npages: { by: [people] }')
        .replace(' ORDER BY people', ''),
      'tests/visits.yaml': `now: 2026-05-17
rows: { visits: [{ at: 2026-05-17, city: Rome, people: 1, share: 1 }, { at: 2026-05-17, city: Oslo, people: 2, share: 1 }] }
calls: [{ only: [city], rows: [{ city: Rome }], headers: { X-Truncated: "true", X-Next-Cursor: none } }]
`,
    });
    expect((await project.test('--update')).code).toBe(0);
    expect((await project.test()).code).toBe(0);
    const [cursor] = /(?<=X-Next-Cursor: )[^ ,]+/.exec(await project.read('tests/visits.yaml')) ?? [];
    await project.write({
      'tests/visits.yaml': `now: 2026-05-17
rows: { visits: [{ at: 2026-05-17, city: Rome, people: 1, share: 1 }, { at: 2026-05-17, city: Oslo, people: 2, share: 1 }] }
calls: [{ parameters: { cursor: ${String(cursor)} }, only: [city], rows: [{ city: Oslo }] }]
`,
    });
    const { code, stdout } = await project.test();
    expect([stdout, code]).toEqual([expect.stringContaining('1 call passed'), 0]);
  });
});
