import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { cpuMicroseconds } from '../measuring/cpu-time.js';
import { printMachine, printTable } from '../measuring/print.js';
import { startRedis } from '../servers/redis.js';
import type { ServerProcess } from '../servers/server-process.js';
import { PROJECT_ROOT, type Environment, type Stage } from '../stage.js';

const PACKAGES = ['fastify@5.12.8', '@clickhouse/client@1.23.1', 'ioredis@6.0.0', 'lru-cache@11.5.3'];
const CALLERS = 500;
const HITS = 3000;
const AT_A_TIME = 16;
const SLOW_ROWS = 16;

const ENDPOINT = `/*
name: visits
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e0057
summary: Visits of a shop.
parameters:
  shop: { kind: string, required: true, description: Name of the shop. }
  status: { kind: integer, description: Only this status. }
  tenths: { kind: integer, default: 0, minimum: 0, description: Slows the query down. }
columns: { id: UInt64, status: UInt16 }
caching: 60
unknownParameters: reject
example: { shop: north }
*/
SELECT id, status FROM visits
WHERE shop = @shop [[ AND status = @status ]] AND sleepEachRow(toUInt8(@tenths) / 10) = 0
ORDER BY id
`;

/** One of the two: its requests have the same query strings. */
interface Subject {
  readonly server: ServerProcess;
  readonly call: (query: string, signal?: AbortSignal) => Promise<Response>;
  readonly stopRedis: () => Promise<void>;
}

/** Puts questions to a gateway and to forty lines of Fastify that do the same, and prints a table of what came. */
export async function runOwnCode(stage: Stage): Promise<void> {
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(stage.folder, 'own-code') });
  const admin = stage.connect({ ...clickhouse.adminConnection, database: 'default' });
  await fill(admin);
  const subjects = [await startGateway(stage, clickhouse), await startOwn(stage, clickhouse)];
  printMachine(`${PACKAGES.join(', ')}; ${CALLERS} equal requests, ${HITS} hits, ${AT_A_TIME} at a time`);
  const rows: string[][] = [];
  for (const [what, ask] of QUESTIONS) {
    const cells: string[] = [];
    for (const subject of subjects) cells.push(await ask(subject, admin));
    rows.push([what, ...cells]);
  }
  printTable(['', 'Querygate', 'own code'], rows);
  await clickhouse.stop();
}

type Servers = Awaited<ReturnType<Stage['startClickHouse']>>;

async function fill(admin: QueryClient): Promise<void> {
  await admin.command({ query: 'CREATE DATABASE IF NOT EXISTS logs' });
  await admin.command({
    query:
      'CREATE TABLE logs.visits (shop String, id UInt64, status UInt16) ENGINE = MergeTree ORDER BY (shop, id)',
  });
  await admin.command({ query: 'SYSTEM STOP MERGES logs.visits' });
  const inserted = [
    `SELECT 'many', number, 200 FROM numbers(1500)
      UNION ALL SELECT concat('hit', toString(number % 40)), number, 200 FROM numbers(4000)
      UNION ALL SELECT 'north', 9007199254740993 + number, if(number = 0, 500, 200) FROM numbers(20)`,
    // Each is a block, of which ClickHouse lets a query sleep three seconds.
    ...Array.from({ length: SLOW_ROWS }, (_, number) => `SELECT 'slow', ${number}, 200`),
  ];
  for (const rows of inserted) await admin.command({ query: `INSERT INTO logs.visits ${rows}` });
}

async function startGateway(stage: Stage, { adminConnection }: Servers): Promise<Subject> {
  const project = path.join(stage.folder, 'own-code-project');
  await mkdir(path.join(project, 'endpoints'), { recursive: true });
  await writeFile(path.join(project, 'endpoints', 'visits.sql'), ENDPOINT);
  const [redis, key] = [await startRedis(stage), generateApiKey()];
  const server = await stage.startGateway(
    { ...adminConnection, database: 'logs' },
    { API_KEY: key, PROJECT_DIR: project, REDIS_URL: redis, MCP: 'off', LOG_LEVEL: 'info' },
  );
  return subjectOf(server, `${server.url}/api/endpoints/query/visits`, key, redis);
}

async function startOwn(stage: Stage, { adminConnection }: Servers): Promise<Subject> {
  const [redis, key] = [await startRedis(stage), generateApiKey()];
  const server = await startOwnCode(stage, 'server.txt', adminConnection, { API_KEY: key, REDIS_URL: redis });
  return subjectOf(server, `${server.url.replace('127.0.0.1', 'localhost')}/visits`, key, redis);
}

/** Starts a server of this folder, with its packages from the registry. */
export async function startOwnCode(
  stage: Stage,
  name: string,
  { url, username, password }: ClickHouseConnection,
  environment: Environment,
): Promise<ServerProcess> {
  const folder = path.join(stage.folder, 'fastify');
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder, stdio: 'ignore' });
  const file = path.join(folder, 'server.mjs');
  await copyFile(path.join(PROJECT_ROOT, 'bench/own-code', name), file);
  const clickhouse = { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password };
  return stage.startModule(file, [], { ...clickhouse, ...environment });
}

function subjectOf(server: ServerProcess, url: string, key: string, redis: string): Subject {
  return {
    server,
    call: (query, signal) =>
      fetch(`${url}?${query}`, { headers: { 'X-API-KEY': key }, ...(signal && { signal }) }),
    stopRedis: () => {
      execFileSync('redis-cli', ['-u', redis, 'SHUTDOWN', 'NOSAVE'], { stdio: 'ignore' });
      return delay(200);
    },
  };
}

const QUESTIONS: readonly (readonly [
  what: string,
  ask: (subject: Subject, admin: QueryClient) => Promise<string>,
])[] = [
  [
    `${CALLERS} equal requests of a query of 0.8 s, on a cold cache: queries`,
    async ({ call }, admin) => {
      // The first request of a process has queries of its own.
      await (await call('shop=first')).text();
      const before = await queriesOf(admin);
      const statuses = await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          const response = await call('shop=slow&tenths=1');
          await response.text();
          return response.status;
        }),
      );
      const failed = statuses.filter((status) => status !== 200).length;
      const queries = String((await queriesOf(admin)) - before);
      return failed === 0 ? queries : `${queries}, and ${failed} requests failed`;
    },
  ],
  [
    'a client leaves a query of 12 s after one second: the query',
    async ({ call }, admin) => {
      const left = new AbortController();
      const response = call('shop=slow&tenths=15', left.signal).catch(() => undefined);
      await delay(1000);
      left.abort();
      await response;
      for (let waited = 0; waited < 24; waited += 1) {
        await delay(500);
        if ((await runningOf(admin)) === 0)
          return `ends ${waited === 0 ? 'within half a second' : `after ${(waited + 1) / 2} s`}`;
      }
      return 'runs on';
    },
  ],
  [
    'a result of 1,500 rows, cut at 1,000',
    async ({ call }) => {
      const response = await call('shop=many');
      const { result } = (await response.json()) as { result: unknown[] };
      const sign = response.headers.get('x-truncated');
      return `${response.status}, ${result.length} rows, ${sign === null ? 'no sign of it' : `X-Truncated: ${sign}`}`;
    },
  ],
  [
    'the identifier 2^53 + 1 arrives as',
    async ({ call }) => /"id":"?(\d+)/.exec(await (await call('shop=north')).text())?.[1] ?? 'nothing',
  ],
  [
    'a misspelled filter (`statuss=500`)',
    async ({ call }) => {
      const response = await call('shop=north&statuss=500');
      const { result, detail } = (await response.json()) as { result?: unknown[]; detail?: string };
      return `${response.status}, ${result ? `all ${result.length} rows` : (detail ?? '')}`;
    },
  ],
  ['CPU of a hit', cpuOfHit],
  [
    'Redis killed: 20 requests that were hits',
    async ({ call, stopRedis }) => {
      await stopRedis();
      const counts = new Map<number, number>();
      const start = performance.now();
      for (let sent = 0; sent < 20; sent += 1) {
        const { status } = await call('shop=north', AbortSignal.timeout(10_000)).catch(() => ({ status: 0 }));
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (performance.now() - start > 30_000) break;
      }
      const shown = [...counts].map(
        ([status, count]) => `${count} × ${status === 0 ? 'no response in 10 s' : status}`,
      );
      return `${shown.join(', ')} in ${((performance.now() - start) / 1000).toFixed(1)} s`;
    },
  ],
];

async function cpuOfHit({ server, call }: Subject): Promise<string> {
  const hits = async (count: number): Promise<void> => {
    let sent = 0;
    const one = async (): Promise<void> => {
      while (sent++ < count) await (await call(`shop=hit${sent % 40}`)).arrayBuffer();
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, one));
  };
  await hits(HITS);
  const before = await cpuMicroseconds(server.pid);
  await hits(HITS);
  return `${(((await cpuMicroseconds(server.pid)) - before) / HITS).toFixed(0)} µs`;
}

async function queriesOf(admin: QueryClient): Promise<number> {
  // ClickHouse logs a query after its response.
  await delay(1000);
  await admin.command({ query: 'SYSTEM FLUSH LOGS' });
  return countOf(
    admin,
    "SELECT count() AS n FROM system.query_log WHERE type = 'QueryFinish' AND query LIKE '%FROM visits%' AND query_kind = 'Select' AND query NOT LIKE '%query_log%'",
  );
}

const runningOf = (admin: QueryClient): Promise<number> =>
  countOf(
    admin,
    "SELECT count() AS n FROM system.processes WHERE query LIKE '%FROM visits%' AND query NOT LIKE '%system.processes%'",
  );

async function countOf(admin: QueryClient, query: string): Promise<number> {
  const rows = await (
    await admin.query({ query, format: 'JSONEachRow' })
  ).json<{ readonly n: string | number }>();
  return Number(rows[0]?.n ?? 0);
}
