import { Agent } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { freePort } from '../../src/commands/embedded/free-port.js';
import { startDeployed, startThisBuild } from '../gateway/deployed-gateway.js';
import { startPeers, type Peer } from '../gateway/peers.js';
import { recordQueries, type RecordedQuery } from '../gateway/recorded-query.js';
import { sendRequest, type HttpRequest } from '../measuring/http-request.js';
import { formatCount, formatMs, print, printMachine, printTable } from '../measuring/print.js';
import { sampleInTurn, timed, type Latency } from '../measuring/sampling.js';
import type { Environment, Stage } from '../stage.js';

/** As many as the metadata lists. */
const ENDPOINTS = 20;
const ROWS = 1_000_000;

const header = (index: number, name: string, more: string): string =>
  `/*\nname: ${name}\nid: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e${String(index).padStart(4, '0')}\nsummary: Of this benchmark.\n${more}\ntables: true\nexample: {}\n*/\n`;

const COLUMNS = `columns: { id: UInt64, message: String, session: Nullable(String), at: "DateTime64(3, 'UTC')", share: Float64 }`;
const RECORDS = `SELECT number AS id, concat('Request ', toString(number)) AS message, if(number % 3 = 0, NULL, toString(number)) AS session,
  toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number AS at, number / 3 AS share FROM numbers(${ROWS})`;

/** Statements, each with a literal of a filter, and with a part of a name that makes a text that was never checked. */
const STATEMENTS: Readonly<Record<string, (literal: number, name?: number) => string>> = {
  'a filter over 10,000 rows': (literal, name = 0) =>
    `SELECT hour, sum(n) AS total${name} FROM small WHERE n < ${20_000 + literal} GROUP BY hour ORDER BY hour FORMAT Native`,
  'columns of 20 tables, as JDBC asks': (literal, name = 0) =>
    `SELECT database, table, name, type, toInt32(if(numeric_scale = 0, NULL, numeric_scale)) s${name}, toInt32(numeric_precision_radix), comment, default_expression, character_octet_length::Nullable(Int32), toInt32(position) FROM system.columns WHERE database LIKE 'querygate' AND table LIKE '%' AND name NOT LIKE '-${literal}' ORDER BY 1, 2, 10 FORMAT RowBinaryWithNamesAndTypes`,
};

const LARGE = ['Native', 'RowBinary'] as const;

const largeStatement = (format: string): string => `SELECT * FROM records FORMAT ${format}`;

const NOTHING: Latency = { median: Number.NaN, p99: Number.NaN };

/** What the ways of both tables are made of. */
interface Servers {
  readonly agent: Agent;
  /** A statement for the gateway. */
  readonly requestOf: (sql: string) => HttpRequest;
  /** A text as the gateway sends it for a statement. */
  readonly direct: (query: RecordedQuery, body?: string) => HttpRequest;
  /** What the gateway sent for the statements of the first table, and for those of the second. */
  readonly small: readonly RecordedQuery[];
  readonly large: readonly RecordedQuery[];
  readonly chproxy: Peer | undefined;
}

/** Measures statements over tables beside the same text sent to ClickHouse, and through chproxy; prints tables. */
export async function runSql(stage: Stage, rounds: number, chproxy: string | undefined): Promise<void> {
  const servers = await startServers(stage, chproxy);
  printMachine(
    `${rounds} requests each, in turn on one connection; ClickHouse and all proxies share these cores`,
  );
  if (!servers.chproxy) print('not on this machine, so not measured: chproxy (BENCH_CHPROXY)');
  printTable(['statement', 'way', 'median', 'p99', 'adds'], await measureSmall(servers, rounds));
  print(`\n${formatCount(ROWS)} rows of five columns`);
  printTable(
    ['format', 'direct', 'Querygate', 'rate of direct'],
    await measureLarge(servers, Math.ceil(rounds / 10)),
  );
  servers.agent.destroy();
}

async function startServers(stage: Stage, chproxy: string | undefined): Promise<Servers> {
  const build = await startThisBuild(stage);
  const { file: keysFile, keys } = await stage.writeKeys({ analyst: {} });
  const port = await freePort();
  const environment = { PROJECT_DIR: await writeProject(stage), SQL_PORT: String(port) };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const requestOf = (body: string, more: Environment = {}): HttpRequest => ({
    ...{ url: `http://127.0.0.1:${port}/`, method: 'POST', body },
    headers: { 'X-ClickHouse-User': 'bench', 'X-ClickHouse-Key': keys.analyst, ...more },
  });
  const first = Object.values(STATEMENTS).map((statement) => statement(0));
  const statements = [...first, ...LARGE.map(largeStatement)];
  const queries = await recordQueries(
    { stage, keysFile },
    build,
    statements.map((sql) => (_, id) => sendRequest(agent, requestOf(sql, { 'X-Request-Id': id }))),
    environment,
  );
  const clickhouse = build.clickhouse.readerConnection;
  const small = queries.slice(0, first.length);
  await startDeployed({ stage, keysFile }, build, environment);
  const peers = await startPeers({ stage, clickhouse, queries: small }, { chproxy, trickster: undefined });
  return {
    ...{ agent, requestOf, small, large: queries.slice(first.length) },
    direct: ({ target, headers, body: own }, body = own) => ({
      ...{ url: clickhouse.url + target, method: 'POST', headers, body },
    }),
    chproxy: peers.find(({ name }) => name.startsWith('chproxy')),
  };
}

async function measureSmall(servers: Servers, rounds: number): Promise<readonly string[][]> {
  const { requestOf, direct, chproxy } = servers;
  const rows: string[][] = [];
  let counter = 0;
  for (const [index, query] of servers.small.entries()) {
    const [name, statement] = Object.entries(STATEMENTS)[index] ?? [];
    if (name === undefined || !statement) throw new Error('a statement is missing');
    // A comment makes a text that chproxy has not kept, and does not change what ClickHouse does.
    const next = (): string => `${query.body} -- ${(counter += 1)}`;
    const throughProxy = ({ server, targetOf }: Peer): HttpRequest => ({
      ...{ url: server.url + targetOf({ ...query, body: next() }), method: 'GET', headers: {} },
    });
    const ways: Readonly<Record<string, () => HttpRequest>> = {
      direct: () => direct(query, next()),
      ...(chproxy && { chproxy: () => throughProxy(chproxy) }),
      'Querygate, the same statement': () => requestOf(statement(0)),
      'Querygate, another value in its filter': () => requestOf(statement((counter += 1))),
      'Querygate, a text that it never checked': () => requestOf(statement(0, (counter += 1))),
    };
    const measured = await sampleWays(servers.agent, rounds, Object.values(ways));
    for (const [at, way] of Object.keys(ways).entries()) {
      const { median, p99 } = measured[at] ?? NOTHING;
      const adds = at === 0 ? '' : formatMs(median - (measured[0] ?? NOTHING).median);
      rows.push([name, way, formatMs(median), formatMs(p99), adds]);
    }
  }
  return rows;
}

async function measureLarge(servers: Servers, rounds: number): Promise<readonly string[][]> {
  const rows: string[][] = [];
  for (const [index, query] of servers.large.entries()) {
    const format = LARGE[index] ?? '';
    const ways = [() => servers.direct(query), () => servers.requestOf(largeStatement(format))];
    const [direct = NOTHING, own = NOTHING] = await sampleWays(servers.agent, rounds, ways);
    const rate = (direct.median / own.median).toFixed(2);
    rows.push([format, formatMs(direct.median), formatMs(own.median), rate]);
  }
  return rows;
}

async function writeProject(stage: Stage): Promise<string> {
  const folder = path.join(stage.folder, 'sql');
  await mkdir(path.join(folder, 'endpoints'), { recursive: true });
  const small = 'SELECT number % 24 AS hour, number AS n FROM numbers(10000)';
  const names = Array.from(
    { length: ENDPOINTS },
    (_, index) => ['records', 'small'][index] ?? `small-${index}`,
  );
  for (const [index, name] of names.entries()) {
    const own = name === 'records';
    const columns = own ? COLUMNS : 'columns: { hour: UInt64, n: UInt64 }';
    await writeFile(
      path.join(folder, 'endpoints', `${name}.sql`),
      `${header(index, name, `${columns}\ncaching: disabled`)}${own ? RECORDS : small}\n`,
    );
  }
  return folder;
}

const sampleWays = (
  agent: Agent,
  rounds: number,
  ways: readonly (() => HttpRequest)[],
): Promise<readonly Latency[]> =>
  sampleInTurn(
    rounds,
    ways.map((next) => () => {
      const request = next();
      return timed(() => sendRequest(agent, request));
    }),
  );
