import { sharedSqlGateway } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway(
  {},
  {
    endpoints: {
      'all.kinds': [
        [
          'parameters:',
          '  s: { kind: string, description: A text. }',
          '  at: { kind: timestamp, description: A time. }',
          '  items: { kind: string-list, empty: omitted, description: Texts. }',
          'columns: { x: String }',
          'tables: true',
          'example: { s: a }',
        ],
        "SELECT toString(tuple('' [[, length(@s)]] [[, @at]] [[, @items]])) AS x",
      ],
      rejecting: [
        [
          'parameters: { n: { kind: integer, default: 1, description: A number. } }',
          'deprecated: { since: 2026-01-01, successor: all.kinds }',
          'columns: { x: UInt8 }',
          'tables: true',
          'example: {}',
        ],
        "SELECT 1 AS x WHERE throwIf(@n > 10, 'hidden words') = 0",
      ],
      hidden: [
        [
          'parameters: { token: { kind: string, required: true, secret: true, description: A secret. } }',
          'columns: { x: UInt8 }',
          'tables: true',
          'example: {}',
        ],
        "SELECT 1 AS x WHERE @token != ''",
      ],
      pinned: [
        [
          'parameters: { items: { kind: string-list, required: true, description: Texts. } }',
          'columns: { x: String }',
          'tables: true',
          'example: { items: a }',
        ],
        'SELECT toString(@items) AS x',
      ],
    },
    keys: { 'sql-all': {}, pinned: { fixed: { items: 'a,b' } } },
  },
);

describe('arguments of a table', () => {
  test('that the endpoint itself rejects are an error that says so, in the gateway’s words', async () => {
    const response = await opened().send('SELECT x FROM rejecting(n = 11)');
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('395');
    const text = await response.text();
    expect(text).toContain(
      'An endpoint that the statement reads has a condition that rejects these arguments',
    );
    expect(text).not.toContain('hidden words');
  });

  test.each([
    ['items = NULL, s = NULL', "('')"],
    ["items = ['b', 'a,c', 'b']", "('',['b','a,c','b'])"],
    ['at = {at:DateTime64(3)}', "('','2023-11-14T22:13:20.500000Z')"],
    ['at = {days:DateTime}', "('','2023-11-14T00:00:00.000000Z')"],
    ['s = {none:Nullable(String)}', "('')"],
    ['s = {text:String}', "('',1)"],
    ['items = {array:Array(String)}', "('',['A',']'])"],
    [`s = '${'é'.repeat(20_000)}'`, "('',40000)"],
  ])('%s are those of a call', async (args, expected) => {
    const search = {
      ...{ param_at: '1700000000.5', param_days: '2023-11-14', param_none: '\\N' },
      ...{ param_text: String.raw`\x41`, param_array: String.raw`['\x41',']']` },
      default_format: 'TSVRaw',
    };
    expect(await opened().rows(`SELECT x FROM all_kinds(${args})`, { search })).toBe(`${expected}\n`);
  });

  test.each([
    ['item = NULL', 'has no argument item. Did you mean items?'],
    ['items = []', 'items must not be an empty array; omit it, or send null'],
    [`s = '${'a'.repeat(70_000)}'`, 's is 70000 bytes long; at most 65536 are allowed'],
  ])('%s is refused as in a call', async (args, problem) => {
    const response = await opened().send(`SELECT x FROM all_kinds(${args})`);
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('36');
    expect(await response.text()).toContain(problem);
  });

  test.each(["items = ['a', 'b']", "items = 'a,b'", 'items = NULL'])(
    '%s is what the key pins',
    async (args) => {
      const search = { default_format: 'TSVRaw' };
      expect(await opened().rows(`SELECT x FROM pinned(${args})`, { key: 'qg_pinned', search })).toBe(
        "['a','b']\n",
      );
      const other = await opened().send("SELECT x FROM pinned(items = ['b', 'a'])", { key: 'qg_pinned' });
      expect(other.headers.get('x-clickhouse-exception-code')).toBe('497');
    },
  );
});

test('NULL for an argument that there must be has columns, for drivers that do not know the value yet, and no rows', async () => {
  const { rows, send } = opened();
  expect(await rows('DESC (SELECT x, 1 AS n FROM pinned(items = NULL))')).toBe(
    'x\tString\t\t\t\t\t\nn\tUInt8\t\t\t\t\t\n',
  );
  for (const token of ['NULL', '{none:Nullable(String)}'])
    expect(
      await rows(`DESC (SELECT x FROM hidden(token = ${token}))`, { search: { param_none: '\\N' } }),
    ).toBe('x\tUInt8\t\t\t\t\t\n');
  const refused = await send('SELECT x FROM pinned(items = NULL)');
  expect(refused.headers.get('x-clickhouse-exception-code')).toBe('36');
  const described = await send('DESC (SELECT x FROM pinned)');
  expect(described.headers.get('x-clickhouse-exception-code')).toBe('36');
});

test('the comment of a deprecated table names the one to read instead', async () => {
  expect(await opened().rows("SELECT comment FROM system.tables WHERE name = 'rejecting'")).toBe(
    'Deprecated as of 2026-01-01: use all_kinds. For a test.\n',
  );
});
