import { grantStatement } from '../../../src/gateway/analysis/reads/grant.js';
import { neededGrants, type NeededGrants } from '../../../src/commands/grants/needed-grants.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import {
  choose,
  is,
  part,
  sql,
  whenGiven,
  where,
  withParts,
  type Reference,
  type Sql,
} from '../../../src/endpoint/index.js';
import type { Query } from '../../../src/endpoint/sql.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';

const database = useTestDatabase();
const other = useTestDatabase();

beforeAll(async () => {
  const { client, name } = database;
  const statements = [
    'CREATE TABLE a (city String, n UInt64) ENGINE = MergeTree ORDER BY city',
    'CREATE TABLE b AS a',
    'CREATE TABLE c AS a',
    'CREATE VIEW over_a AS SELECT city FROM a',
    'CREATE VIEW over_view AS SELECT city FROM over_a WHERE city IN (SELECT city FROM b)',
    'CREATE VIEW of_definer DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT city FROM a',
    'CREATE VIEW with_parameter AS SELECT city FROM a WHERE city = {x:String}',
    'CREATE TABLE buffer AS a ENGINE = Buffer(currentDatabase(), a, 1, 1, 1, 1, 1, 1, 1)',
    "CREATE TABLE merged AS a ENGINE = Merge(currentDatabase(), '^[ab]$')",
    'CREATE TABLE joined (city String, n UInt64) ENGINE = Join(ANY, LEFT, city)',
    'CREATE DICTIONARY names (id UInt64, name String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)',
    `CREATE TABLE aliased (city String, name String ALIAS dictGet('${name}.names', 'name', toUInt64(1))) ENGINE = MergeTree ORDER BY city`,
    'CREATE TABLE `odd <name>` AS a',
  ];
  for (const query of statements) await client.command({ query });
});

interface Parameters {
  readonly city: Reference<string>;
}

type Build = (parameters: Parameters) => Sql | Query;

function analyze(...builds: readonly Build[]): Promise<NeededGrants> {
  const endpoints = builds.map((build, index) =>
    defineEndpoint({ ...SAMPLE, name: `sample-${index}`, build }),
  );
  return neededGrants(database.connection, endpoints);
}

/** What is granted, such as `a` or `dictGet names`; tables of the test's own database without its name. */
async function grantsOf(...builds: readonly Build[]): Promise<readonly string[]> {
  const { grants, problems } = await analyze(...builds);
  expect(problems).toEqual([]);
  return grants.map((grant) =>
    grantStatement(grant)
      .replace('GRANT ', '')
      .replace('SELECT ON ', '')
      .replace(' ON', '')
      .replace(`${database.name}.`, ''),
  );
}

describe('the grants that endpoints need', () => {
  it('are on the tables of each query, sorted and once', async () => {
    await expect(
      grantsOf(
        () => sql`SELECT city FROM b JOIN a USING city`,
        () => sql`SELECT city FROM a`,
      ),
    ).resolves.toEqual(['a', 'b']);
  });

  it('are on the tables of subqueries and of unions, and on a table at the right of IN', async () => {
    await expect(
      grantsOf(
        () =>
          sql`SELECT (SELECT max(city) FROM a) AS city UNION ALL SELECT city FROM (SELECT city FROM b) WHERE city GLOBAL NOT IN c`,
      ),
    ).resolves.toEqual(['a', 'b', 'c']);
  });

  describe('of a .sql endpoint', () => {
    const header = [
      'parameters:',
      '  city: { kind: string, description: City. }',
      '  cities: { kind: string-list, empty: omitted, description: Cities. }',
      '  by: { kind: enum, choices: [city], default: city, description: Order. }',
      'columns: { city: String }',
    ];
    const endpointOf = (select: string): Endpoint =>
      readSqlEndpoint(sqlEndpointFile('sample', header, select));
    const tablesOf = async (endpoint: Endpoint): Promise<readonly string[]> => {
      const { grants, problems } = await neededGrants(database.connection, [endpoint]);
      expect(problems).toEqual([]);
      return grants.map((grant) => grantStatement(grant).replace(/^.*\./, ''));
    };
    const SELECT =
      'WITH unread AS (SELECT city FROM merged WHERE true [[ AND city IN (@cities) ]]), read AS (SELECT city, n FROM a)\n' +
      'SELECT read.{by:Identifier} AS city FROM read [[ JOIN b ON b.city = @city ]]\n' +
      'WHERE true [[ AND n IN (SELECT n FROM c WHERE city IN (@cities)) ]]\n' +
      '[[ UNION ALL SELECT name FROM aliased WHERE city = {city:String} ]]';

    it('are on the tables that only an optional part reads: a JOIN, a subquery, an arm of a UNION', async () => {
      const tables = await tablesOf(endpointOf(SELECT));
      expect([...tables].sort()).toEqual(['a', 'aliased', 'b', 'c', 'merged', 'names']);
    });

    it('include those of each WITH query that a caller’s own SQL can read', async () => {
      const endpoint = endpointOf(SELECT);
      const granted = await tablesOf(endpoint);
      const { views = [] } = endpoint.query;
      expect(views.map(({ name }) => name)).toEqual(['unread', 'read']);
      for (const { query: body } of views) {
        const ofView = await tablesOf({ ...endpoint, query: { ...endpoint.query, body, views: [] } });
        expect(ofView.length).toBeGreaterThan(0);
        expect(granted).toEqual(expect.arrayContaining([...ofView]));
      }
    });
  });

  it('are on tables of other databases', async () => {
    const [grant] = await grantsOf(() => ({
      parts: [],
      body: sql`SELECT url AS city FROM ${part(`${other.name}.edge_logs`, sql``)}`,
    }));
    expect(grant).toBe(`${other.name}.edge_logs`);
  });

  it('are on the tables of every branch, filter and part', async () => {
    await expect(
      grantsOf(({ city }) =>
        withParts(
          [part('unread', sql`SELECT city FROM merged`)],
          sql`SELECT city FROM ${choose([is(city, 'Rome'), sql`a`], sql`b`)}
              ${where(whenGiven(city, sql`city IN (SELECT city FROM c)`))}`,
        ),
      ),
    ).resolves.toEqual(['a', 'b', 'c', 'merged']);
  });

  it('are not on names of WITH, unless such a query reads the table of its own name', async () => {
    await expect(
      grantsOf(
        () =>
          sql`WITH a AS (SELECT city FROM b), c AS (SELECT city FROM a) SELECT city FROM (SELECT city FROM c) WHERE city IN a`,
      ),
    ).resolves.toEqual(['b']);
    await expect(grantsOf(() => sql`WITH a AS (SELECT city FROM a) SELECT city FROM a`)).resolves.toEqual([
      'a',
    ]);
    await expect(
      grantsOf(
        () =>
          sql`WITH RECURSIVE t AS (SELECT 'x' AS city UNION ALL SELECT city || 'x' FROM t) SELECT city FROM t`,
      ),
    ).resolves.toEqual([]);
  });

  it('are on a view, and on what the view reads with the rights of its caller', async () => {
    await expect(grantsOf(() => sql`SELECT city FROM over_view`)).resolves.toEqual([
      'a',
      'b',
      'over_a',
      'over_view',
    ]);
    await expect(grantsOf(() => sql`SELECT city FROM of_definer`)).resolves.toEqual(['of_definer']);
  });

  it.each([
    ['a Buffer table', sql`SELECT city FROM buffer`, ['a', 'buffer']],
    ['a Merge table', sql`SELECT city FROM merged`, ['a', 'b', 'merged']],
    ['the table function merge', sql`SELECT city FROM merge('^[bc]$')`, ['b', 'c']],
    ['the table function view', sql`SELECT city FROM view(SELECT city FROM a)`, ['a']],
    ['joinGet', sql`SELECT joinGet('joined', 'n', city) FROM a`, ['a', 'joined']],
    [
      'a dictionary',
      sql`SELECT dictGet('names', 'name', n), dictHas(names, 1) FROM a`,
      ['a', 'dictGet names'],
    ],
    ['a column with an alias', sql`SELECT city FROM aliased`, ['aliased', 'dictGet names']],
    ['no table', sql`SELECT toString(number) AS city FROM numbers(3)`, []],
    ['a name that needs quotes', sql`SELECT city FROM ${part('`odd <name>`', sql``)}`, ['`odd <name>`']],
  ])('include what ClickHouse reads below %s', async (_what, query, expected) => {
    await expect(grantsOf(() => query).then((grants) => [...grants].sort())).resolves.toEqual(
      [...expected].sort(),
    );
  });

  it('are found without running any part of a query', async () => {
    await expect(
      grantsOf(
        () => sql`SELECT (SELECT throwIf(1, 'this ran') FROM a) AS city FROM b LIMIT (SELECT throwIf(1))`,
      ),
    ).resolves.toEqual(['a', 'b']);
  });

  it('cover the other endpoints where one cannot be analysed, which is named', async () => {
    const { grants, problems } = await analyze(
      () => sql`SELECT city FROM missing`,
      () => sql`SELECT FROM WHERE`,
      () => sql`SELECT city FROM a`,
    );
    expect(grants.map(({ name }) => name)).toEqual(['a']);
    expect(problems).toEqual([
      {
        endpoint: 'sample-0',
        text: expect.stringMatching(
          /^reads test_\w+\.missing, which ClickHouse does not have.*querygate migrate/,
        ) as string,
        unseenTable: 'missing',
      },
      { endpoint: 'sample-1', text: expect.stringContaining('Syntax error') as string },
    ]);
  });

  it('leave out rights beyond those on tables, which are reported', async () => {
    const { grants, problems, warnings } = await analyze(
      () => sql`SELECT city FROM url('http://127.0.0.1:1/', CSV, 'city String')`,
      () => sql`SELECT dictGet('elsewhere', 'name', 1) AS city`,
      () => sql`SELECT city FROM with_parameter(x = 'Rome')`,
      () => sql`SELECT city FROM merge(REGEXP('^test_'), '^a$')`,
    );
    expect({ problems, grants: grants.map(({ name }) => name) }).toEqual({
      problems: [],
      grants: ['with_parameter'],
    });
    expect(warnings).toEqual([
      { endpoint: 'sample-0', text: expect.stringMatching(/^calls the table function url, /) as string },
      { endpoint: 'sample-1', text: expect.stringMatching(/^uses the dictionary elsewhere, /) as string },
      {
        endpoint: 'sample-2',
        text: expect.stringMatching(/^reads the view test_\w+\.with_parameter, /) as string,
      },
      {
        endpoint: 'sample-3',
        text: expect.stringMatching(/^calls the table function merge with an argument /) as string,
      },
    ]);
  });
});
