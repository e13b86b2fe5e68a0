/** `npm run bench`: the time that the gateway adds to a query, and MCP to a request; the rate of exports; late pages; tests of endpoints; results cached until their data changes; windows composed of pieces; what replay finds; what keys are charged. */
import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { Command, Option } from 'commander';

import { generateApiKey } from '../src/gateway/auth/api-key.js';
import { prepareDatabase } from '../src/commands/demo-data/prepare-database.js';
import { bindEndpointQuery, findProjects, queriesAbout, urlOf } from './data/endpoint-queries.js';
import { FILLINGS, fillTable } from './data/fill-tables.js';
import { costOf, httpGet, type Cost } from './measuring/http-get.js';
import { formatCount, formatMegabytes, formatMs, printMachine, printTable } from './measuring/print.js';
import { sampleInTurn, timed } from './measuring/sampling.js';
import { runPath } from './path/run-path.js';
import { runOwnCode } from './own-code/run-own-code.js';
import { runExports } from './exports/run-exports.js';
import { runPages } from './pages/run-pages.js';
import { runReplay } from './replay/run-replay.js';
import { runSql } from './sql/run-sql.js';
import { runTests } from './tests/run-tests.js';
import { runRanges } from './ranges/run-ranges.js';
import { runUsage } from './usage/run-usage.js';
import { runUntilChanged } from './until-changed/run-until-changed.js';
import { runMcp } from './mcp/run-mcp.js';
import { runBenchmark } from './run-benchmark.js';
import type { Stage } from './stage.js';
import { wholeNumber } from './whole-number.js';
import { REFERENCE, referenceEndpoints } from './reference-project.js';

const EXPORT_ROUNDS = 5;
const RANGE_ROWS = 30_000_000;

interface Options {
  readonly rows: number;
  readonly rounds: number;
  readonly only?:
    | 'queries'
    | 'mcp'
    | 'exports'
    | 'pages'
    | 'tests'
    | 'until-changed'
    | 'ranges'
    | 'replay'
    | 'usage'
    | 'own-code'
    | 'sql'
    | 'path';
}

const SHARE_OF_ROWS: Readonly<Record<string, number>> = { function_relay_logs: 2, custom_events: 10 };
const HEADINGS = [
  'endpoint',
  'query',
  'HTTP median',
  'p99',
  'bare query',
  'p99',
  'gateway adds',
  'rows read',
  'read',
];

await runBenchmark(
  new Command('bench')
    .description(
      'Measures the endpoints over HTTP, past the cache, against the bare query; calls by MCP against the same HTTP requests, exports against a bare pipe, late pages against the first, querygate test, results that are cached until their data changes, and windows that are composed of pieces, how many planted changes querygate replay finds, what keys are charged beside system.query_log, how forty lines of own code compare, statements over tables beside ClickHouse, and how many files and functions a request enters.',
    )
    .option(
      '--rows <n>',
      'edge logs to generate; half as many function relay logs, a tenth as many events',
      wholeNumber,
      10_000_000,
    )
    .option(
      '--rounds <n>',
      'requests of each query that are timed, and calls by MCP that miss; ten times as many that hit',
      wholeNumber,
      200,
    )
    .addOption(
      new Option('--only <part>', 'measure one part').choices([
        'queries',
        'mcp',
        'exports',
        'pages',
        'tests',
        'until-changed',
        'ranges',
        'replay',
        'usage',
        'own-code',
        'sql',
        'path',
      ]),
    ),
  async ({ rows, rounds, only }: Options, stage) => {
    const parts: Readonly<Record<NonNullable<Options['only']>, () => Promise<void>>> = {
      queries: () => measureQueries(stage, rows, rounds),
      mcp: () => runMcp(stage, rounds),
      exports: () => runExports(stage, rows, EXPORT_ROUNDS),
      pages: () => runPages(stage, rows, rounds),
      tests: () => runTests(stage),
      'until-changed': () => runUntilChanged(stage),
      ranges: () => runRanges(stage, RANGE_ROWS, process.env['BENCH_TRICKSTER']),
      replay: () => runReplay(stage),
      usage: () => runUsage(stage),
      'own-code': () => runOwnCode(stage),
      sql: () => runSql(stage, rounds, process.env['BENCH_CHPROXY']),
      path: () => runPath(stage),
    };
    for (const [name, run] of Object.entries(parts)) if (only === undefined || only === name) await run();
  },
);

async function measureQueries(stage: Stage, rows: number, rounds: number): Promise<void> {
  // Data of its own: the calls by MCP are of demonstration data.
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(stage.folder, 'queries') });
  await prepareDatabase(clickhouse.adminConnection, { schemaFolder: REFERENCE.schemaFolder });
  const admin = stage.connect(clickhouse.adminConnection);
  const end = new Date();
  for (const filling of FILLINGS) {
    await fillTable(admin, filling, Math.ceil(rows / (SHARE_OF_ROWS[filling.table] ?? 1)), end);
  }
  printMachine(`${formatCount(rows)} edge logs; ${rounds} requests each, in turn`);
  const apiKey = generateApiKey();
  const gateway = await stage.startGateway(clickhouse.readerConnection, { API_KEY: apiKey });
  printTable(
    HEADINGS,
    await measure(stage.connect(clickhouse.readerConnection), { url: gateway.url, apiKey }, rounds),
  );
  await gateway.stop();
  await clickhouse.stop();
}

async function measure(
  client: ClickHouseClient,
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  rounds: number,
): Promise<readonly string[][]> {
  const endpoints = await referenceEndpoints();
  const headers = { 'X-API-KEY': apiKey, 'Cache-Control': 'no-cache' };
  const rows: string[][] = [];
  for (const query of queriesAbout(await findProjects(client))) {
    let cost: Cost | undefined;
    const [http, bare] = await sampleInTurn(rounds, [
      () => timed(() => httpGet(urlOf(url, query), headers)),
      () => timed(async () => (cost = await runBare(client, bindEndpointQuery(endpoints, query)))),
    ]);
    if (!http || !bare || !cost) throw new Error('nothing was measured');
    const times = [http.median, http.p99, bare.median, bare.p99, http.median - bare.median].map(formatMs);
    rows.push([
      query.endpoint,
      query.about,
      ...times,
      formatCount(cost.rowsRead),
      formatMegabytes(cost.bytesRead),
    ]);
  }
  return rows;
}

async function runBare(
  client: ClickHouseClient,
  { text, parameters, settings = {} }: ReturnType<typeof bindEndpointQuery>,
): Promise<Cost> {
  const result = await client.query({
    query: text,
    query_params: parameters,
    clickhouse_settings: { ...settings, wait_end_of_query: 1 },
    format: 'JSONEachRow',
  });
  await result.text();
  return costOf(result.response_headers);
}
