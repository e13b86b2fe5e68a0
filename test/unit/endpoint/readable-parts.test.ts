import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import {
  choose,
  is,
  isPinned,
  part,
  sql,
  text,
  whenGiven,
  where,
  withParts,
} from '../../../src/endpoint/index.js';
import { readableParts } from '../../../src/endpoint/readable-parts.js';
import { readSqlEndpoint } from '../../../src/endpoint/sql-file/read-sql-endpoint.js';
import type { Reference, Sql } from '../../../src/endpoint/sql.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { WITHHELD } from './withheld-queries.js';

const PARAMETERS = ['project', 'region', 'since', 'x'].map(
  (name) => `  ${name}: { kind: string, default: a, description: For a test. }`,
);
const HEADER = ['parameters:', ...PARAMETERS, 'columns: { n: UInt64 }'];
/** Each file uses each of the parameters. */
const ENDING = 'SELECT n FROM numbers(1) WHERE @project = @region AND @since = @x';

const endpointOf = (withList: string, header: readonly string[] = []): Endpoint =>
  readSqlEndpoint(sqlEndpointFile('a.b', [...HEADER, ...header], `WITH ${withList} ${ENDING}`));

const namesFor = (endpoint: Endpoint, ...pinned: readonly string[]): readonly string[] =>
  readableParts(endpoint, new Set(pinned)).names.filter((name) => name !== 'result');
const reasonFor = (endpoint: Endpoint, name: string): string | undefined =>
  readableParts(endpoint, new Set(['project'])).withheld.get(name);

describe('a WITH query is readable for a key that pins project', () => {
  it.each([
    'SELECT n FROM t WHERE project = @project',
    'SELECT n FROM t WHERE @project = project',
    'SELECT n FROM t WHERE project == {project:String}',
    'SELECT n FROM t PREWHERE project = @project WHERE n > 1',
    'SELECT n FROM db.t AS e FINAL WHERE n > 1 AND `project` = @project AND since >= @since',
    'SELECT * FROM t WHERE n BETWEEN 1 AND 2 AND project = @project',
    'SELECT project, count() AS n FROM t WHERE project = @project GROUP BY project WITH ROLLUP HAVING n > 1 ORDER BY project',
    'SELECT n FROM t WHERE (n = 1 OR n = 2) AND project = @project [[ AND region = @region ]]',
    'SELECT n FROM t WHERE [[ region = @region AND ]] project = @project',
    'SELECT arrayMap(x -> x + 1, a) FROM t WHERE project = @project AND n IN (1, 2) AND m IN @x',
    'SELECT extract(DAY FROM at) FROM t WHERE project = @project AND at > @since - INTERVAL 7 DAY',
    'SELECT n FROM t WHERE tenant_id = @project',
    'SELECT CASE WHEN n = 1 OR n = 2 THEN 1 ELSE 0 END AS m FROM t WHERE project = @project LIMIT 5',
  ])('%s', (query) => {
    expect(namesFor(endpointOf(`recent AS (${query})`), 'project')).toEqual(['recent']);
  });
});

describe('a WITH query is withheld from a key that pins project', () => {
  it.each(Object.entries(WITHHELD).flatMap(([reason, queries]) => queries.map((query) => [reason, query])))(
    '%s: %s',
    (reason, query) => {
      const endpoint = endpointOf(`recent AS (${query})`);
      expect(namesFor(endpoint, 'project')).toEqual([]);
      // A query without parameters is withheld from everybody, without a reason.
      if (namesFor(endpoint).length > 0) expect(reasonFor(endpoint, 'recent')).toContain(reason);
    },
  );

  it.each([
    [
      'the column is an alias of the list',
      "'x' AS project, recent AS (SELECT n FROM t WHERE project = @project)",
    ],
    [
      'an expression of the list names the table',
      '(SELECT 1) AS t, recent AS (SELECT n FROM t WHERE project = @project)',
    ],
    ['the list is recursive', 'RECURSIVE recent AS (SELECT n FROM t WHERE project = @project)'],
    ['it renames its columns', 'recent(project) AS (SELECT n FROM t WHERE project = @project)'],
    ['it reads itself, as ClickHouse may read the table', 't AS (SELECT n FROM t WHERE project = @project)'],
  ])('%s', (_why, withList) => {
    expect(namesFor(endpointOf(withList), 'project')).toEqual([]);
  });

  it('where it reads another WITH query, a readable one too', () => {
    const endpoint = endpointOf(
      'mine AS (SELECT n FROM t WHERE project = @project), more AS (SELECT n FROM mine WHERE project = @project)',
    );
    expect(namesFor(endpoint, 'project')).toEqual(['mine']);
    expect(reasonFor(endpoint, 'more')).toBe('reads another WITH query');
    expect(namesFor(endpoint)).toEqual(['mine', 'more']);
  });
});

it('depends on the pins of the key: each of them needs its own comparison', () => {
  const endpoint = endpointOf(
    'one AS (SELECT n FROM t WHERE project = @project), two AS (SELECT n FROM t WHERE project = @project AND region = @region)',
  );
  expect(namesFor(endpoint)).toEqual(['one', 'two']);
  expect(namesFor(endpoint, 'project')).toEqual(['one', 'two']);
  expect(namesFor(endpoint, 'project', 'region')).toEqual(['two']);
  expect(namesFor(endpoint, 'since')).toEqual([]);
});

describe('with tenant in the header', () => {
  const TENANT = ['tenant: { t: project, db.u: { tenant_id: project, area: region } }'];
  const names = (withList: string, ...pinned: readonly string[]): readonly string[] =>
    namesFor(endpointOf(withList, TENANT), ...pinned);

  it.each([
    [
      'joins, subqueries and UNION',
      'recent AS (SELECT n FROM t AS a JOIN db.u AS b USING (n) WHERE n IN (SELECT n FROM t) UNION ALL SELECT 1)',
    ],
    ['no parameter', 'recent AS (SELECT n FROM t)'],
    ['IN (table)', 'recent AS (SELECT n FROM t WHERE n IN (t))'],
  ])('a query is readable whose tables are all listed: %s', (_what, withList) => {
    expect(names(withList, 'project')).toEqual(['recent']);
  });

  it('a query is readable that reads such queries', () => {
    expect(names('one AS (SELECT n FROM t), two AS (SELECT n FROM one, one AS other)', 'project')).toEqual([
      'one',
      'two',
    ]);
  });

  it.each([
    ['another table', 'recent AS (SELECT n FROM t, v)'],
    ['a table that is named otherwise', 'recent AS (SELECT n FROM db.t)'],
    ['another table in a subquery', 'recent AS (SELECT n FROM t WHERE n IN (SELECT n FROM v))'],
    ['another table to the right of IN', 'recent AS (SELECT n FROM t WHERE n IN (v))'],
    ['a table function', 'recent AS (SELECT n FROM t, numbers(3))'],
    ['a dictionary', "recent AS (SELECT dictGet('d', 'n', n) FROM t)"],
    ['a name that the list defines later', 'recent AS (SELECT n FROM later), later AS (SELECT n FROM v)'],
  ])('a query is withheld that reads %s', (_what, withList) => {
    expect(names(withList, 'project')).not.toContain('recent');
  });

  it('each pin needs a filter of each table, or a comparison of the query', () => {
    expect(names('recent AS (SELECT n FROM db.u)', 'project', 'region')).toEqual(['recent']);
    expect(names('recent AS (SELECT n FROM t)', 'project', 'region')).toEqual([]);
    expect(names('recent AS (SELECT n FROM t WHERE area = @region)', 'project', 'region')).toEqual([
      'recent',
    ]);
  });
});

describe('a part in TypeScript', () => {
  type Build = (of: Readonly<Record<'project' | 'tier', Reference<string>>>) => Sql;
  const withPart = (query: Build): Endpoint =>
    defineEndpoint({
      ...SAMPLE,
      example: {},
      parameters: { project: text({ description: 'A project.' }), tier: text({ description: 'A tier.' }) },
      columns: { n: column('UInt64', 'A number.') },
      build: (parameters) => withParts([part('recent', query(parameters))], sql`SELECT 1 AS n`),
    });

  it.each<[string, Build]>([
    ['its own filter', ({ project }) => sql`SELECT n FROM t ${where(sql`project = ${project}`)}`],
    [
      'an optional filter beside it',
      ({ project, tier }) =>
        sql`SELECT n FROM t ${where(sql`project = ${project}`, whenGiven(tier, sql`tier = ${tier}`))}`,
    ],
    [
      'a choice by the pin',
      ({ project }) =>
        sql`SELECT n FROM t WHERE ${choose([isPinned(project), sql`project = ${project}`], sql`match(project, ${project})`)}`,
    ],
  ])('is readable with %s', (_what, query) => {
    expect(namesFor(withPart(query), 'project')).toEqual(['recent']);
  });

  it.each<[string, Build]>([
    ['no filter', ({ tier }) => sql`SELECT n FROM t WHERE tier = ${tier}`],
    [
      'an optional filter only',
      ({ project }) => sql`SELECT n FROM t ${where(whenGiven(project, sql`project = ${project}`))}`,
    ],
    [
      'an optional OR',
      ({ project, tier }) =>
        sql`SELECT n FROM t ${where(sql`project = ${project}`, whenGiven(tier, sql`a = 1 OR b = 1`))}`,
    ],
    [
      'a choice that can leave it out',
      ({ project, tier }) =>
        sql`SELECT n FROM t WHERE ${choose([is(tier, 'PRO'), sql`project = ${project}`], sql`true`)}`,
    ],
    [
      'a choice that can add an OR',
      ({ project, tier }) =>
        sql`SELECT n FROM t WHERE project = ${project} ${choose([is(tier, 'PRO'), sql`OR true`], sql``)}`,
    ],
  ])('is withheld with %s', (_what, query) => {
    expect(namesFor(withPart(query), 'project')).toEqual([]);
    expect(namesFor(withPart(query))).toEqual(['recent']);
  });
});
