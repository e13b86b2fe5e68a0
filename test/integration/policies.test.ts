import type { ClickHouseSettings } from '@clickhouse/client';

import { bindSandboxedQuery } from '../../src/endpoint/bind-sandboxed.js';
import { revealedParameters } from '../../src/endpoint/bind.js';
import { withSettings, type Endpoint } from '../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import type { Analysis } from '../../src/gateway/analysis/analyse-endpoint.js';
import { EndpointAnalyses } from '../../src/gateway/analysis/endpoint-analyses.js';
import { Catalog } from '../../src/gateway/analysis/reads/catalog.js';
import { factsOfEndpoint, varyingCallOf } from '../../src/gateway/analysis/reads/own-tables.js';
import { Reads } from '../../src/gateway/analysis/reads/reads.js';
import { createSqlParser } from '../../src/gateway/clickhouse/sql-parser.js';
import { Failure } from '../../src/gateway/errors.js';
import { readableParts } from '../../src/gateway/facts/readable-parts.js';
import { nativeSignal } from '../../src/gateway/query/signal.js';
import { createSandbox } from '../../src/gateway/sandbox/sandbox.js';
import { piecesInTree } from '../../src/gateway/versions/pieces-in-tree.js';
import { findQueryData } from '../../src/gateway/versions/query-data.js';
import { readQueryTrees, type ReadRows } from '../../src/gateway/versions/query-tree.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';

/** Each policy over the facts of a query: what it refuses, and what happens where the same query runs without it. */
const database = useTestDatabase();
let catalog: Catalog;
beforeAll(async () => {
  catalog = await Catalog.of(database.client);
  await database.client.command({
    query:
      "CREATE TABLE vault (project String, at DateTime('UTC')) ENGINE = MergeTree PARTITION BY toDate(at) ORDER BY at",
  });
  await database.client.command({
    query:
      "INSERT INTO vault VALUES ('mine', '2026-01-01 00:00:00'), ('SECRET', '2026-01-01 01:00:00'), ('mine', '2026-01-02 00:00:00')",
  });
  await database.client.command({ query: 'CREATE VIEW of_calls AS SELECT parameters FROM querygate_calls' });
});

const endpointOf = (select: string, ...header: readonly string[]): Endpoint =>
  withSettings(
    readSqlEndpoint(
      sqlEndpointFile(
        'policies',
        [
          'parameters: { project: { kind: string, default: mine, description: Project. } }',
          'columns: { project: String }',
          ...header,
        ],
        select,
      ),
    ),
    { sandboxing: 'enabled' },
  );

const rowsOf = async (
  query: string,
  parameters: Readonly<Record<string, unknown>> = {},
  settings: ClickHouseSettings = {},
): Promise<string> => {
  const result = await database.client.query({
    query,
    query_params: parameters,
    format: 'JSONCompactEachRow',
    clickhouse_settings: settings,
  });
  return result.text();
};
const readRows: ReadRows = async <Row>(text: string, parameters = {}, settings: ClickHouseSettings = {}) => {
  const result = await database.client.query({
    query: text,
    query_params: parameters,
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  });
  return result.json<Row>();
};
const problemOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) =>
      error instanceof Failure ? (error.details.problems?.[0]?.problem ?? error.code) : String(error),
  );
const PINNED = new Set(['project']);
const RECENT =
  'WITH recent AS (SELECT project FROM vault WHERE @project = @project) SELECT project FROM recent';
const VARYING = 'SELECT project FROM vault WHERE @project != toString(rand64()) ORDER BY rand64()';

it('pins: without it, a part shows rows of others', async () => {
  const endpoint = endpointOf(RECENT);
  const facts = await factsOfEndpoint(endpoint, catalog);
  expect(readableParts(endpoint, PINNED, facts).names).toEqual(['result']);
  const select = { text: 'SELECT * FROM recent', reads: ['recent'] };
  const bound = bindSandboxedQuery(endpoint, select, new Map([['project', 'mine']]), PINNED, new Date(), 10);
  expect(await rowsOf(bound.text, revealedParameters(bound))).toContain('SECRET');
});

it('sandbox: without it, a caller’s SQL reads any table', async () => {
  const parser = createSqlParser(database.client);
  const check = createSandbox((request, analysis) => analysis(parser, nativeSignal(request.signal)));
  const sql = 'SELECT project FROM vault';
  const { signal } = new AbortController();
  expect(await problemOf(check(endpointOf(RECENT), sql, { signal }, PINNED))).toContain('reads “vault”');
  expect(await rowsOf(sql)).toContain('SECRET');
});

it('grants: without it, the user of queries would not be granted what a query reads', async () => {
  const { facts } = await factsOfEndpoint(endpointOf(RECENT), catalog);
  const [reads, without] = [new Reads(catalog), new Reads(catalog)];
  await reads.add(facts);
  await without.add({ ...facts, tables: new Set() });
  expect([reads.grants.map(({ name }) => name), without.grants]).toEqual([['vault'], []]);
});

it('private tables: without it, a query shows the parameters of all callers', async () => {
  const endpoint = endpointOf(
    'SELECT toString(parameters) AS project FROM of_calls WHERE @project = @project',
  );
  const analyses = new EndpointAnalyses();
  const { signal } = new AbortController();
  const { findings, ownTables } = await analyses.analyse(endpoint, {
    client: database.client,
    now: () => new Date(),
    signal,
  });
  expect([findings.map(({ problem }) => problem.code), ownTables]).toEqual([['TABLE_PRIVATE'], undefined]);
  await database.client.command({
    query: "INSERT INTO querygate_calls (hour, parameters, calls) VALUES (now(), 'SECRET', 1)",
  });
  expect(await rowsOf('SELECT toString(parameters) FROM of_calls')).toContain('SECRET');
});

it('request log: without it, a key with pins reads figures of all callers', async () => {
  const endpoint = endpointOf(
    'SELECT toString(endpoint) AS project FROM `gateway\\x5frequests` WHERE @project = @project',
  );
  const analyses = new EndpointAnalyses();
  const { signal } = new AbortController();
  const outcome = (): Promise<string> =>
    problemOf(
      Promise.resolve().then(() => {
        analyses.requireRunnable(endpoint, undefined, '[["project","mine"]]');
      }),
    );
  // The definition itself does not name the table.
  expect(await outcome()).toBe('accepted');
  await analyses.analyse(endpoint, { client: database.client, now: () => new Date(), signal });
  expect(await outcome()).toBe('FORBIDDEN');
});

it('versions and tests: without it, equal data has unequal rows', async () => {
  const endpoint = endpointOf(VARYING);
  expect(await varyingCallOf(endpoint, catalog)).toBe('rand64()');
  const text = VARYING.replace('@project', "'mine'");
  const data = findQueryData({ readTrees: () => readQueryTrees(readRows, text) }, readRows, database.name);
  expect(await problemOf(data)).toContain('calls rand64()');
  const all = await Promise.all(Array.from({ length: 40 }, () => rowsOf(text)));
  expect(new Set(all).size).toBeGreaterThan(1);
});

it('pieces: without it, the rows of partitions are not those of the query', async () => {
  const text = (where: string): string =>
    `SELECT at FROM (SELECT at FROM vault WHERE ${where} ORDER BY at LIMIT 1) ORDER BY at`;
  const trees = await readQueryTrees(readRows, `${text('1 = 1')} LIMIT 10`);
  const pieces = { table: `${database.name}.vault`, time: 'at', bucket: 'at', isDescending: false, ends: [] };
  expect(piecesInTree(trees, pieces)).toBe('it has LIMIT or OFFSET, which needs all rows');
  const [whole, ...days] = await Promise.all(
    ['1 = 1', "at < '2026-01-02'", "at >= '2026-01-02'"].map((where) => rowsOf(text(where))),
  );
  expect(days.join('')).not.toBe(whole);
});

it('test: values that vary are those of SQL functions and ALIAS columns too', async () => {
  const draw = `\`${database.name} AS draw\``;
  const statements = [
    `CREATE FUNCTION ${draw} AS (x, y) -> x + y * rand64()`,
    'CREATE TABLE aliased (n UInt64, drawn UInt64 ALIAS n + other, other UInt64 ALIAS rand64(), fixed UInt64 ALIAS n) ORDER BY n',
    'CREATE VIEW of_aliased AS SELECT aliased.drawn AS project FROM aliased',
  ];
  for (const query of statements) await database.client.command({ query });
  try {
    const found = ['aliased.fixed', 'aliased.drawn', `${draw}(n, 1)`].map((value) =>
      varyingCallOf(
        endpointOf(`SELECT toString(${value}) AS project FROM aliased WHERE @project = @project`),
        catalog,
      ),
    );
    const ofView = varyingCallOf(
      endpointOf('SELECT toString(project) AS project FROM of_aliased WHERE @project = @project'),
      catalog,
    );
    expect(await Promise.all([...found, ofView])).toEqual([undefined, 'rand64()', 'rand64()', 'rand64()']);
  } finally {
    await database.client.command({ query: `DROP FUNCTION ${draw}` });
  }
});

it('private tables: a function of SQL that reads one does not load', async () => {
  const peek = `${database.name}_peek`;
  await database.client.command({
    query: `CREATE FUNCTION ${peek} AS x -> x || (SELECT toString(any(parameters)) FROM querygate_calls)`,
  });
  try {
    const { findings } = await analysisOf(endpointOf(`SELECT ${peek}(@project) AS project`));
    expect(findings.map(({ problem }) => problem.code)).toEqual(['TABLE_PRIVATE']);
  } finally {
    await database.client.command({ query: `DROP FUNCTION ${peek}` });
  }
});

it.each([
  ['SELECT project FROM vault LIMIT 5', 'LIMIT or OFFSET'],
  ['SELECT project FROM vault LIMIT 1 BY project', 'LIMIT or OFFSET'],
  ['SELECT project FROM vault ORDER BY at OFFSET 5 ROWS', 'LIMIT or OFFSET'],
  ['SELECT project FROM vault ORDER BY at FETCH FIRST 5 ROWS ONLY', 'LIMIT or OFFSET'],
  ['SELECT TOP 5 project FROM vault', 'LIMIT or OFFSET'],
  ['SELECT DISTINCT ON (at) project FROM vault', 'LIMIT or OFFSET'],
  ["SELECT project FROM vault [[ WHERE project IN (SELECT 'a' LIMIT 5) AND @other = 1 ]]", 'LIMIT or OFFSET'],
  ['SELECT project FROM vault ORDER BY project WITH FILL', 'WITH FILL'],
  ['SELECT any(project) OVER (ORDER BY at) AS project FROM vault', 'a window'],
  ['SELECT any(project) OVER w AS project FROM vault WINDOW w AS (ORDER BY at)', 'a window'],
  ['SELECT toString(rowNumberInAllBlocks()) AS project FROM vault', 'rowNumberInAllBlocks()'],
])('pages: the gateway adds no condition around %s', async (select, found) => {
  const { findings } = await analysisOf(pagedEndpoint(select));
  expect(findings.map(({ problem }) => problem)).toEqual([
    {
      code: 'PAGES_NOT_POSSIBLE',
      problem: expect.stringContaining(`must not have ${found} in its query`) as string,
    },
  ]);
});

it('pages: a column or a text with the name of a clause is none', async () => {
  const { findings } = await analysisOf(
    pagedEndpoint(
      "SELECT limit AS project FROM (SELECT 'LIMIT 5' AS limit, 1 AS offset /* LIMIT 5 */) AS t WHERE offset - 1 < 3 AND t.limit != ''",
    ),
  );
  expect(findings).toEqual([]);
});

const pagedEndpoint = (select: string): Endpoint =>
  readSqlEndpoint(
    sqlEndpointFile(
      'policies',
      [
        ...(select.includes('@other')
          ? ['parameters: { other: { kind: integer, description: Other. } }']
          : ['parameters: {}']),
        'columns: { project: String }',
        'pages: { by: [project] }',
      ],
      select,
    ),
  );

const analysisOf = (endpoint: Endpoint): Promise<Analysis> =>
  new EndpointAnalyses().analyse(endpoint, {
    client: database.client,
    now: () => new Date(),
    signal: new AbortController().signal,
  });
