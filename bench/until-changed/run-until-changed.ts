import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { formatCount, printMachine, printTable } from '../measuring/print.js';
import { startRedis } from '../servers/redis.js';
import { hasProgram } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

const ROWS = 5_000_000;
const QUESTIONS = 50;
const REQUESTS_PER_SECOND = 200;
const SECONDS = 60;
/** Seconds between two loads of the table. */
const BURST_SECONDS = 15;
/** Milliseconds between two rows of the table that never rests. */
const ROW_MS = 100;
/** Milliseconds of requests that count: a response on its way when a row arrives may be older. */
const CHECK_MS = 1000;

const endpoint = (caching: string): string => `/*
name: loads.by-day
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e0035
summary: Rows of a kind by day, and its newest load.
parameters: { kind: { kind: integer, required: true, description: Which. } }
columns: { day: Date, n: UInt64, newest: UInt64 }
caching: ${caching}
example: { kind: '1' }
*/
SELECT day, count() AS n, max(load) AS newest FROM loads WHERE kind = @kind GROUP BY day ORDER BY day DESC
`;

/** When each load of the table was there; by its number. */
type Loads = number[];

interface Tally {
  requests: number;
  queries: number;
  stale: number;
  longestMs: number;
}

/**
 * Measures what results cost that are cached until their data changes, beside those cached for a minute: queries, and how long
 * responses lacked rows that were there. Prints a table.
 */
export async function runUntilChanged(stage: Stage): Promise<void> {
  const folder = path.join(stage.folder, 'until-changed');
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(folder, 'data') });
  const admin = stage.connect({ ...clickhouse.adminConnection, database: 'default' });
  await fill(admin);
  const redis = hasProgram('redis-server') ? await startRedis(stage) : undefined;
  printMachine(
    `${formatCount(ROWS)} rows, loads of ${QUESTIONS} rows every ${BURST_SECONDS} s, ${QUESTIONS} calls at ${REQUESTS_PER_SECOND} requests/s for ${SECONDS} s; ${redis === undefined ? 'without Redis' : 'with Redis'}`,
  );
  const rows: (string | number)[][] = [];
  for (const [load, everyMs] of [
    [`every ${BURST_SECONDS} s`, BURST_SECONDS * 1000],
    [`every ${ROW_MS} ms`, ROW_MS],
  ] as const) {
    for (const caching of ['until-changed', '60', '1']) {
      const project = path.join(folder, `${everyMs}-${caching}`);
      await mkdir(path.join(project, 'endpoints'), { recursive: true });
      await writeFile(path.join(project, 'endpoints', 'loads.by-day.sql'), endpoint(caching));
      const apiKey = generateApiKey();
      const adminPort = String(await freePort());
      const { username, password } = clickhouse.adminConnection;
      const gateway = await stage.startGateway(clickhouse.adminConnection, {
        ...{ API_KEY: apiKey, PROJECT_DIR: project, ADMIN_PORT: adminPort },
        ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
        ...(redis !== undefined && { REDIS_URL: redis, CACHE_KEY_PREFIX: `${everyMs}-${caching}:` }),
      });
      const tally = await measure(admin, `${gateway.url}/api/endpoints/query/loads.by-day`, apiKey, everyMs);
      const reads = await versionReads(`http://127.0.0.1:${adminPort}/metrics`);
      await gateway.stop();
      const { requests, queries, stale, longestMs } = tally;
      rows.push([
        load,
        caching,
        formatCount(requests),
        formatCount(queries),
        formatCount(reads),
        formatCount(stale),
        `${(longestMs / 1000).toFixed(1)} s`,
      ]);
    }
  }
  printTable(
    [
      'loads',
      'caching',
      'requests',
      'queries',
      'reads of versions',
      'responses more than 1 s late',
      'latest',
    ],
    rows,
  );
  await clickhouse.stop();
}

async function fill(admin: QueryClient): Promise<void> {
  await admin.command({ query: 'CREATE DATABASE IF NOT EXISTS logs' });
  await admin.command({
    query:
      'CREATE TABLE logs.loads (day Date, kind UInt16, load UInt64) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (kind, day)',
  });
  await admin.command({
    query: `INSERT INTO logs.loads SELECT toDate('2026-01-01') + number % 90, number % ${QUESTIONS}, 0 FROM numbers(${ROWS})`,
  });
}

/** Loads rows and sends requests at the same time. */
async function measure(admin: QueryClient, url: string, apiKey: string, everyMs: number): Promise<Tally> {
  await admin.command({
    query: 'ALTER TABLE logs.loads DELETE WHERE load > 0',
    clickhouse_settings: { mutations_sync: '2' },
  });
  const loads: Loads = [0];
  const tally: Tally = { requests: 0, queries: 0, stale: 0, longestMs: 0 };
  const end = performance.now() + SECONDS * 1000;
  const loading = async (): Promise<void> => {
    while (performance.now() < end) {
      const number = loads.length;
      // A late day among them: what a cache by age takes for unchangeable.
      await admin.command({
        query: `INSERT INTO logs.loads SELECT toDate('2026-01-01') + ${number % 90}, number, ${number} FROM numbers(${QUESTIONS})`,
      });
      loads.push(performance.now());
      await delay(Math.min(everyMs, Math.max(0, end - performance.now())));
    }
  };
  const sending = async (): Promise<void> => {
    const running = new Set<Promise<void>>();
    for (let next = performance.now(); next < end; next += 1000 / REQUESTS_PER_SECOND) {
      await delay(Math.max(0, next - performance.now()));
      const kind = tally.requests % QUESTIONS;
      tally.requests += 1;
      const request = send(`${url}?kind=${kind}`, apiKey, loads, tally).finally(() =>
        running.delete(request),
      );
      running.add(request);
    }
    await Promise.all(running);
  };
  await Promise.all([loading(), sending()]);
  return tally;
}

async function send(url: string, apiKey: string, loads: Loads, tally: Tally): Promise<void> {
  const sentAt = performance.now();
  const response = await fetch(url, { headers: { 'X-API-KEY': apiKey } });
  const { result } = (await response.json()) as {
    readonly result: readonly { readonly newest: number | string }[];
  };
  if (response.headers.get('server-timing')?.includes('clickhouse')) tally.queries += 1;
  const newest = Math.max(...result.map((row) => Number(row.newest)));
  // The first load that the response lacks had been there for so long when the request was sent.
  const lateMs = sentAt - (loads[newest + 1] ?? Infinity);
  if (lateMs > CHECK_MS) tally.stale += 1;
  tally.longestMs = Math.max(tally.longestMs, lateMs);
}

async function versionReads(url: string): Promise<number> {
  const text = await (await fetch(url)).text();
  return Number(/^querygate_table_version_reads_total (\d+)/m.exec(text)?.[1] ?? 0);
}
