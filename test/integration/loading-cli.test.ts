import { useTestDatabase } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { runInBash, type Outcome } from '../support/run-cli.js';

const database = useTestDatabase();

beforeAll(async () => {
  for (const definition of [
    'orders (order_id UInt32, customer String) ENGINE = MergeTree ORDER BY order_id',
    'visits (timestamp DateTime, page String) ENGINE = MergeTree ORDER BY page TTL timestamp + INTERVAL 1 MONTH',
    'sessions (page String, expires_at DateTime) ENGINE = MergeTree ORDER BY page TTL expires_at',
    `numbers (status Nullable(UInt16), ms Nullable(Float64), bytes UInt64, offset Int64,
      most SimpleAggregateFunction(max, Nullable(UInt16))) ENGINE = Memory`,
  ]) {
    await database.client.command({ query: `CREATE TABLE ${definition}` });
  }
});

/** Loads lines from standard input. */
function load(lines: readonly (object | string)[], args: string): Promise<Outcome> {
  const environment = {
    ...variablesOf(database.connection),
    LINES: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  };
  return runInBash(`printf %s "$LINES" | querygate load ${args}`, environment);
}

describe('querygate load', () => {
  it('reports unknown fields after loading, and exits with 0', async () => {
    const lines = [{ order_id: 1, custmer: 'a' }, { order_id: 2, custmer: 'b', ip: 1 }, { order_id: 3 }];
    expect(await load(lines, 'orders -')).toEqual({
      code: 0,
      stdout: '3 lines loaded, 0 rejected\n',
      stderr:
        '2 lines have the unknown field `custmer`; did you mean `customer`?\n1 line has the unknown field `ip`\n',
    });
  });

  it('rejects lines with unknown fields with --strict, and exits with 1', async () => {
    const { code, stdout, stderr } = await load(
      [{ order_id: 1 }, { custmer: 'a' }],
      'orders - --strict --json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      loaded: 1,
      refused: 1,
      olderThanRetention: 0,
      unknownFields: [{ field: 'custmer', lines: 1, suggestion: 'customer' }],
    });
    expect(stderr).toMatch(/^line 2: unknown field `custmer`; did you mean `customer`\?\n/);
  });

  it('names each line that is no object or has a value that its column cannot store, and the reason', async () => {
    const stored = ['{"status":65535,"bytes":18446744073709551615}', '{"status":"65535","offset":-1}'];
    const rejected: readonly (readonly [line: string, reason: string])[] = [
      ['{"status":65536}', 'status 65536 does not fit UInt16'],
      ['{"status":"65536"}', 'status "65536" does not fit UInt16'],
      ['{"status":1.5}', 'status 1.5 does not fit UInt16'],
      ['{"status":{}}', 'status {} does not fit UInt16'],
      ['{"most":-1}', 'most -1 does not fit UInt16'],
      ['{"bytes":99999999999999999999}', 'bytes 99999999999999999999 does not fit UInt64'],
      ['{"offset":"-9999999999999999999"}', 'offset "-9999999999999999999" does not fit Int64'],
      ['{"ms":1e999}', 'ms Infinity does not fit Float64, which would store inf'],
      [`{"ms":"a\\n${'b'.repeat(1000)}"}`, `ms "a\\n${'b'.repeat(56)}… does not fit Float64`],
      ['[1]', 'not a JSON object'],
      ['null', 'not a JSON object'],
    ];
    expect(await load([...stored, ...rejected.map(([line]) => line)], 'numbers -')).toEqual({
      code: 1,
      stdout: '2 lines loaded, 11 rejected\n',
      stderr: rejected.map(([, reason], index) => `line ${index + 3}: ${reason}\n`).join(''),
    });
  });

  it('names the first 100 rejected lines only, and counts the others', async () => {
    const lines = Array.from({ length: 150 }, () => ({ bytes: 'x', ms: 'y' }));
    const { stdout, stderr } = await load([...lines, { bytes: 1 }], 'numbers -');
    expect(stdout).toBe('1 line loaded, 150 rejected\n');
    expect(stderr.split('\n').slice(99)).toEqual([
      'line 100: ms "y" does not fit Float64',
      '… and 50 more lines',
      '',
    ]);
  });

  it('names the most frequent unknown fields only, and counts the others', async () => {
    const wide = Object.fromEntries(Array.from({ length: 1100 }, (_, n) => [`key-${n}`, n]));
    const { stderr } = await load([wide, { last: 1 }, { 'key-7': 1 }], 'orders -');
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('2 lines have the unknown field `key-7`');
    expect(lines.slice(20)).toEqual([
      '… and 980 more unknown fields',
      '… and unknown fields with too many or too long names to count',
    ]);
  });

  it.each([
    [
      'visits',
      { timestamp: '2020-01-01T00:00:00Z' },
      '1 line is older than 1 month; ClickHouse will delete it; --shift-to-now moves it to the present\n',
    ],
    [
      'sessions',
      { expires_at: '2020-01-01T00:00:00Z' },
      '1 line is past the table’s TTL (expires_at); ClickHouse will delete it\n',
    ],
    ['orders', { order_id: 1 }, ''],
  ])('warns of lines that the TTL of %s deletes', async (table, line, warning) => {
    expect(await load([line], `${table} -`)).toEqual({
      code: 0,
      stdout: '1 line loaded, 0 rejected\n',
      stderr: warning,
    });
  });

  it('exits with 1 if --shift-to-now has no time to shift', async () => {
    expect(await load([{ order_id: 1 }], 'orders - --shift-to-now')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: the table orders has no column timestamp .*\n$/) as string,
    });
  });
});
