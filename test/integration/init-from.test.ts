import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { checkEndpoint } from '../../src/commands/check/check-endpoint.js';
import { parseSqlFile } from '../../src/endpoint/sql-file/parse-sql-file.js';
import { endpointOf } from '../../src/endpoint/sql-file/read-sql-endpoint.js';
import { introspect, type Introspected } from '../../src/commands/introspect/introspect.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { runCli } from '../support/run-cli.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const database = useTestDatabase();

const AWKWARD = `CREATE TABLE \`odd "table\` (
  \`we\`\`ird col\` LowCardinality(String), at DateTime64(3, 'Europe/Berlin'), e Enum8('a' = 1, 'b\\'x' = 2),
  level LowCardinality(Nullable(String)), m Map(String, UInt8), n Nested(a String, b UInt8), d Decimal(18, 4), u UUID,
  arr Array(LowCardinality(String)), nu Nullable(Int32), ip IPv4, j JSON, v Variant(String, UInt8), t Tuple(a UInt8, b String),
  f Float64, b Bool, big UInt256, fs FixedString(4), \`select\` Date, \`since\` UInt64, \`*/\` String, mat UInt8 MATERIALIZED 2,
  al UInt8 ALIAS 1, eph UInt8 EPHEMERAL, agg AggregateFunction(uniq, UInt64), s SimpleAggregateFunction(sum, UInt64)
) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (\`we\`\`ird col\`, toStartOfHour(at), u, d, \`since\`, fs, b)`;

const STATEMENTS = [
  AWKWARD,
  `INSERT INTO \`odd "table\` (\`we\`\`ird col\`, at, e, d, u, arr, ip, j, v, t, f, b, big, fs, \`select\`, \`since\`) VALUES
   ('x', now(), 'b\\'x', 1.5, generateUUIDv4(), ['q'], '1.2.3.4', '{"a":1}', 'text', (1, 'z'), 0.5, true, 7, 'ab', today(), 8)`,
  'CREATE TABLE daily (id UInt64, day Date, n UInt64) ENGINE = MergeTree ORDER BY (id, day)',
  'INSERT INTO daily VALUES (5, today(), 2), (5, today() - 30, 3)',
  'CREATE TABLE older (at DateTime, n UInt8) ENGINE = MergeTree ORDER BY at',
  "INSERT INTO older VALUES ('2020-05-17 10:00:00', 1)",
  'CREATE TABLE plain (x Int8, y String, j JSON) ENGINE = Memory',
  'CREATE TABLE `столбцы` (x UInt8) ENGINE = Memory',
  'CREATE VIEW by_id AS SELECT day, n FROM daily WHERE id = {id:UInt64} AND day >= {Since:Date}',
  `CREATE VIEW by_kind AS SELECT e, count() AS n FROM \`odd "table\`
   WHERE e = {e:Enum8('a' = 1, 'b\\'x' = 2)} AND level IS NOT DISTINCT FROM {level:Nullable(String)}
     AND has({items:Array(String)}, 'q') AND at < {until:DateTime64(3)} AND d > {least:Decimal(18, 4)}
   GROUP BY e`,
  'CREATE VIEW by_id_ AS SELECT {x:UInt8} AS x',
  'CREATE VIEW of_maps AS SELECT {m:Map(String, String)} AS m',
];

beforeAll(async () => {
  for (const query of STATEMENTS) await database.client.command({ query });
});

const tools = (): Parameters<typeof introspect>[0] => ({
  client: database.client,
  now: () => new Date(),
  signal: new AbortController().signal,
});

const read = (...chosen: readonly string[]): Promise<Introspected> =>
  introspect(tools(), database.name, chosen);

/** Checks the written endpoints; returns the rows of each example and its problems. */
async function check({ files }: Introspected): Promise<Readonly<Record<string, unknown>>> {
  const runQuery = createQueryRunner(database.client, { timeoutMs: 20_000 });
  const checked = files.map(async ({ path: file, text }) => {
    // Of a file, check analyses other choices and the combinations of optional parts too.
    const endpoint = endpointOf(parseSqlFile(text, { path: file, shownPath: file }));
    const { example, problems } = await checkEndpoint(endpoint, { ...tools(), runQuery });
    return [endpoint.name, [example?.rows, problems]] as const;
  });
  return Object.fromEntries(await Promise.all(checked));
}

const textOf = ({ files }: Introspected, name: string): string =>
  files.find(({ path: file }) => file === `endpoints/${name}.sql`)?.text ?? '';

describe('an endpoint of a table', () => {
  it('loads and passes check with columns of every type and name, and reads the last day', async () => {
    const found = await read('odd "table', 'daily', 'older', 'plain', `${database.name}.daily`, 'system.one');
    expect(await check(found)).toMatchObject({
      'odd-table': [1, []],
      daily: [1, []],
      older: [1, []],
      plain: [0, []],
      'system.one': [1, []],
      'by-id': [0, []],
      'by-kind': [0, []],
    });
    expect(textOf(found, 'older')).toContain('\nexample: { since: 2020-05-17T00:00:00Z }\n');
    expect(found.others).toContain('столбцы');
    expect(found.others).not.toContain('older');
    const odd = textOf(found, 'odd-table');
    expect(odd).toContain(
      'WHERE at >= @since\n  [[ AND at < @until ]]\n  [[ AND `we\\`ird col` = @we_ird_col ]]',
    );
    expect(odd).toContain(`choices: [ a, b'x ]`);
    expect(odd).toContain('[[ AND since = {since_value:UInt64} ]]');
    expect(odd).toContain('[[ AND level = @level ]]');
    expect(odd).toMatch(/\nORDER BY at DESC, `we\\`ird col`, u, d, since, fs, b\n$/);
    expect(textOf(found, 'daily')).toContain('WHERE day >= toDate(@since)\n');
    expect(found.leftOut).toEqual(
      expect.arrayContaining([
        'table odd "table: column al: it is ALIAS',
        'table odd "table: column eph: it is EPHEMERAL',
        expect.stringMatching(/column agg: AggregateFunction\(uniq, UInt64\) is an aggregate state/),
      ]),
    );
    // Named in two ways.
    expect(found.files.filter(({ path: file }) => file.endsWith('/daily.sql'))).toHaveLength(1);
    expect(found.leftOut).not.toContainEqual(expect.stringContaining('daily'));
  });

  it('is not made of a table that does not exist, which is invalid usage that lists the tables', async () => {
    await expect(read('order')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^There is no table order, .*--table NAME.* has .*daily/) as string,
    });
  });
});

describe('an endpoint of a parameterised view', () => {
  it('calls it with parameters of the kinds of its types, and what has no endpoint is listed with the reason', async () => {
    const found = await read('столбцы');
    expect(textOf(found, 'by-id')).toContain('FROM by_id(id = {id:UInt64}, Since = {since:Date})\n');
    expect(textOf(found, 'by-kind')).toMatch(/level: \{ kind: string, description/);
    expect([...found.leftOut].sort()).toEqual([
      'table столбцы: its name has no letter or digit that an endpoint’s name can have',
      expect.stringMatching(/^view by_id_: its endpoint would be by-id, which is written already$/),
      'view of_maps: its parameter m has the type Map(String, String), which no kind of parameter has',
    ]);
  });
});

describe('querygate init --from', () => {
  const connect = (folder: string, ...args: readonly string[]): ReturnType<typeof runCli> => {
    const { url, username, password, name } = { ...database.connection, name: database.name };
    return runCli(
      ['init', folder, '--from', `${url.replace(/\/$/, '')}/${name}`, '--user', username, ...args],
      {
        CLICKHOUSE_PASSWORD: password,
      },
    );
  };

  it('writes a project without an example, and without the password in any file', async () => {
    await withTemporaryFolder(async (folder) => {
      await mkdir(path.join(folder, 'endpoints'));
      await writeFile(path.join(folder, 'endpoints/by-id.ts'), 'export default 1;');
      const { code, stdout, stderr } = await connect(folder, '--table', 'daily');
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(
          'not carried over: endpoints/by-id.sql: endpoints/by-id.ts has an endpoint of this name',
        ) as string,
      ]);
      expect(stdout).toMatch(/^created endpoints\/daily\.sql\n/);
      expect(stderr).toMatch(
        /^Tables without an endpoint: .*odd "table, older, plain.* For one of a table: npx querygate new NAME --table TABLE$/m,
      );
      const files = await readdir(folder, { recursive: true });
      expect(files.filter((file) => /^(?:clickhouse-schema|demo)/.test(file))).toEqual([]);
      const example = await readFile(path.join(folder, '.env.example'), 'utf8');
      expect(example).toContain(`\nCLICKHOUSE_DATABASE=${database.name}\n`);
      expect(example).toContain(`\nCLICKHOUSE_USER=${database.connection.username}\nCLICKHOUSE_PASSWORD=\n`);
      const texts = await Promise.all(
        files
          .filter((file) => path.basename(file).includes('.'))
          .map((file) => readFile(path.join(folder, file), 'utf8')),
      );
      expect(texts.join()).not.toContain(database.connection.password);
    });
  });

  it('exits with 1 for a wrong password and an unreachable server, without the password, and writes nothing', async () => {
    await withTemporaryFolder(async (folder) => {
      const [rejected, unreachable] = await Promise.all([
        connect(folder, '--password', 'wrong-password'),
        runCli(['init', folder, '--from', 'http://a:wrong-password@127.0.0.1:1/shop']),
      ]);
      expect([rejected.code, unreachable.code]).toEqual([1, 1]);
      expect(rejected.stderr).toMatch(
        /^error: ClickHouse at http:\S+ rejects the first query: .*Authentication failed/,
      );
      expect(unreachable.stderr).toMatch(/^error: ClickHouse at http:\/\/127\.0\.0\.1:1 does not respond: /);
      expect(rejected.stderr + unreachable.stderr).not.toContain('wrong-password');
      expect(await readdir(folder)).toEqual([]);
    });
  });

  it('exits with 2 and lists the tables where there is nothing to make an endpoint of', async () => {
    await withTemporaryFolder(async (folder) => {
      const empty = await runCli(
        ['init', folder, '--from', `${database.connection.url.replace(/\/$/, '')}/system`],
        { CLICKHOUSE_USER: database.connection.username, CLICKHOUSE_PASSWORD: database.connection.password },
      );
      expect(empty.code).toBe(2);
      expect(empty.stderr).toMatch(/Choose with --table NAME; system has \S+(?:, \S+){19} and \d+ more\.\n$/);
      expect(await readdir(folder)).toEqual([]);
    });
  });
});
