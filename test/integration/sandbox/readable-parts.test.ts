import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import {
  choose,
  is,
  part,
  sql,
  text,
  withParts,
  type Reference,
  type Sql,
} from '../../../src/endpoint/index.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { knownFacts, readQueryFacts } from '../../../src/gateway/facts/query-facts.js';
import { readableParts } from '../../../src/gateway/facts/readable-parts.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { referenceEndpoints } from '../../support/reference-project.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';

const PARAMETERS = ['project', 'region', 'since', 'x'].map(
  (name) => `  ${name}: { kind: string, default: a, description: For a test. }`,
);
const TENANT = 'tenant: { t: project, db.u: { tenant_id: project, area: region } }';
const HEADER = [
  'parameters:',
  ...PARAMETERS,
  '  named: { kind: enum, choices: [n], default: n, description: A table. }',
];
/** Each file uses each of the parameters. */
const ENDING =
  'SELECT n FROM numbers(1) WHERE @project = @region AND @since = @x AND {named:Identifier} != 0';

const endpointOf = (withList: string, tenant = TENANT): Endpoint =>
  readSqlEndpoint(
    sqlEndpointFile('a.b', [...HEADER, 'columns: { n: UInt64 }', tenant], `WITH ${withList} ${ENDING}`),
  );

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.client.command({
    query: 'CREATE FUNCTION of_readable_parts AS x -> (SELECT count() FROM v)',
  });
});
afterAll(async () => {
  await database.client.command({ query: 'DROP FUNCTION of_readable_parts' });
  await database.close();
});

async function partsFor(endpoint: Endpoint, ...pinned: readonly string[]): Promise<readonly string[]> {
  const lines = async (query: string): Promise<readonly string[]> => {
    const result = await database.client.query({ query, format: 'JSONCompactEachRow' });
    return (await result.json<readonly [string]>()).map(([line]) => line);
  };
  const facts = knownFacts(endpoint) ?? (await readQueryFacts(endpoint, lines, String));
  return readableParts(endpoint, new Set(pinned), facts).names.filter((name) => name !== 'result');
}

/** Every set of some names, without the empty one. */
const setsOf = (names: readonly string[]): readonly (readonly string[])[] =>
  names
    .reduce<readonly (readonly string[])[]>(
      (sets, name) => [...sets, ...sets.map((set) => [...set, name])],
      [[]],
    )
    .slice(1);

it('the parts of the reference project that a key may read, for each set of pins, are those that their own WHERE filters', async () => {
  const SOURCES = [
    ...['edge_source', 'database_source', 'function_relay_source', 'function_event_source', 'auth_source'],
    ...['realtime_source', 'storage_source', 'rest_source', 'pooler_source'],
  ];
  for (const endpoint of (await referenceEndpoints()).all().filter(({ query }) => query.parts.length > 0))
    for (const pins of setsOf([...endpoint.parameters.keys()])) {
      const isOfProject = endpoint.name === 'logs.all' && pins.join() === 'project';
      expect([endpoint.name, pins, await partsFor(endpoint, ...pins)]).toEqual([
        ...[endpoint.name, pins, isOfProject ? SOURCES : []],
      ]);
    }
});

describe('a WITH query is readable with a pin whose tables the header filters by it', () => {
  it.each([
    'SELECT n FROM t',
    'SELECT n FROM t AS e FINAL WHERE n > 1 AND project = @project',
    'SELECT n FROM t WHERE project = @project OR n = 1',
    "SELECT n, 'x' AS project FROM t AS project ARRAY JOIN tags AS tag",
    'SELECT n FROM t AS a JOIN db.u AS b USING (n) WHERE n IN (SELECT n FROM t) UNION ALL SELECT 1',
    'SELECT n FROM t WHERE n IN (t) [[ AND region = @region ]]',
    'SELECT (SELECT groupArray(n) FROM t) AS n FROM t WHERE EXISTS (SELECT 1 FROM db.u)',
    'WITH own AS (SELECT n FROM t), 5 AS five SELECT n + five FROM own',
    'SELECT n FROM t SAMPLE 0.1 WHERE at > now() - INTERVAL 7 DAY',
    'SELECT @project AS n',
  ])('%s', async (query) => {
    expect(await partsFor(endpointOf(`recent AS (${query})`), 'project')).toEqual(['recent']);
  });

  it.each([
    'one AS (SELECT n FROM t), two AS (SELECT n FROM one, one AS other)',
    '(SELECT max(n) FROM t) AS newest, one AS (SELECT n FROM t WHERE n = newest), two AS (SELECT n FROM one)',
  ])('also where it reads others of which that holds: %s', async (list) => {
    expect(await partsFor(endpointOf(list), 'project')).toEqual(['one', 'two']);
  });
});

describe('a WITH query is withheld with a pin', () => {
  it.each([
    'SELECT n FROM v WHERE project = @project',
    'SELECT n FROM t, v',
    'SELECT n FROM db.t',
    'SELECT n FROM t WHERE n IN (SELECT n FROM v)',
    'SELECT n FROM t WHERE n IN (v)',
    'SELECT n FROM t WHERE n NOT IN db.v',
    'SELECT n FROM t WHERE globalNotIn(n, v)',
    'SELECT n FROM t WHERE n = ANY (SELECT n FROM v)',
    'SELECT (SELECT groupArray(n) FROM v) AS n FROM t',
    'SELECT n FROM t UNION ALL SELECT n FROM v WHERE project = @project',
    'SELECT n FROM t WHERE true [[ AND n IN (SELECT n FROM v WHERE m = @x) ]]',
    'SELECT n FROM t, numbers(3)',
    "SELECT n FROM merge(currentDatabase(), 't')",
    "SELECT dictGet('d', 'n', n) FROM t",
    "SELECT joinGet('t', 'n', n) FROM t",
    "SELECT file('a') FROM t",
    'SELECT of_readable_parts(n) FROM t',
    'SELECT n FROM {named:Identifier}',
    'SELECT n FROM db.{named:Identifier}',
  ])('whose tables the header does not all filter: %s', async (query) => {
    const endpoint = endpointOf(`recent AS (${query})`);
    expect(await partsFor(endpoint)).toEqual(['recent']);
    expect(await partsFor(endpoint, 'project')).toEqual([]);
  });

  it.each([
    'recent AS (SELECT n FROM later), later AS (SELECT n FROM v)',
    'recent AS (SELECT n FROM t), t AS (SELECT n FROM v)',
    '(SELECT n FROM v) AS t, recent AS (SELECT n FROM t)',
    '(SELECT max(n) FROM v) AS newest, recent AS (SELECT n FROM t WHERE n = newest)',
    '(a -> (SELECT count() FROM v)) AS f, recent AS (SELECT f(n) FROM t)',
    '[[ t AS (SELECT n FROM db.u WHERE m = @x), ]] recent AS (SELECT n FROM t)',
    'recent AS (SELECT n FROM db.u WHERE n IN ([[ WITH t AS (SELECT n FROM db.u WHERE m = @x) ]] SELECT n FROM t))',
    'RECURSIVE recent AS (SELECT n FROM t UNION ALL SELECT n FROM recent)',
  ])('where the list gives what it reads another meaning: %s', async (list) => {
    expect(await partsFor(endpointOf(list), 'project')).not.toContain('recent');
  });

  it('that does not filter each of its tables', async () => {
    const of = (query: string): Endpoint => endpointOf(`recent AS (${query})`);
    expect(await partsFor(of('SELECT n FROM db.u'), 'project', 'region')).toEqual(['recent']);
    expect(await partsFor(of('SELECT n FROM t WHERE area = @region'), 'project', 'region')).toEqual([]);
    expect(await partsFor(of('SELECT n FROM t'), 'since')).toEqual([]);
  });

  it('where no parameter filters it and the header does not either, and without pins too', async () => {
    const list =
      'all_of_it AS (SELECT n FROM v WHERE at < @now), mine AS (SELECT n FROM v WHERE m = @x), of_mine AS (SELECT n FROM mine AS m)';
    expect(await partsFor(endpointOf(list, 'tags: []'))).toEqual(['mine', 'of_mine']);
    expect(await partsFor(endpointOf(`${list}, mentions AS (SELECT n AS mine FROM v)`, 'tags: []'))).toEqual([
      'mine',
      'of_mine',
    ]);
    expect(await partsFor(endpointOf(list))).toEqual(['all_of_it', 'mine', 'of_mine']);
  });

  it('as long as its facts are not known', () => {
    const { names, withheld } = readableParts(
      endpointOf('recent AS (SELECT n FROM t)'),
      new Set(['x']),
      undefined,
    );
    expect([names, withheld.get('recent')]).toEqual([['result'], 'has not been analysed yet']);
  });
});

describe('a part in TypeScript', () => {
  type Build = (of: Readonly<Record<'project' | 'tier', Reference<string>>>) => Sql;
  const withPart = (query: Build): Endpoint =>
    defineEndpoint({
      ...SAMPLE,
      example: {},
      tenant: { t: 'project' },
      parameters: { project: text({ description: 'A project.' }), tier: text({ description: 'A tier.' }) },
      columns: { n: column('UInt64', 'A number.') },
      build: (parameters) => withParts([part('recent', query(parameters))], sql`SELECT 1 AS n`),
    });

  it.each<[string, Build, readonly string[]]>([
    [
      'each branch reads tables of the tenant',
      ({ tier }) => sql`SELECT n FROM t WHERE ${choose([is(tier, 'PRO'), sql`n IN (t)`], sql`true`)}`,
      ['recent'],
    ],
    [
      'one branch reads another table',
      ({ tier }) => sql`SELECT n FROM ${choose([is(tier, 'PRO'), sql`v`], sql`t`)}`,
      [],
    ],
  ])('where %s', async (_what, query, readable) => {
    expect(await partsFor(withPart(query), 'project')).toEqual(readable);
    expect(await partsFor(withPart(query))).toEqual(['recent']);
  });
});
