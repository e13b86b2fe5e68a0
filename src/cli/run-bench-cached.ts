import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, type RequestOptions } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startGateway, startServing, type ServingProcess } from '../bench/gateway-process.js';
import { hasNginx } from '../bench/nginx.js';
import { startNginxCache } from '../bench/nginx-cache.js';
import { countQueries, residentMegabytes } from '../bench/observe.js';
import { loadServer, type Throughput } from '../bench/throughput.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import { generateApiKey, hashApiKey } from '../keys/api-key.js';
import { READER_USER_FILE } from '../project-files.js';
import { interruptible } from './run-command.js';

const PATH = '/api/endpoints/query/functions.invocation-stats';
const QUESTION = `${PATH}?project=aurora&interval=1day`;
const BASELINE = fileURLToPath(new URL('../bench/baseline-server.js', import.meta.url));
const CANNED = fileURLToPath(new URL('../bench/canned-clickhouse.js', import.meta.url));
const CACHE_MEMORY_MB = 512;
const ROUNDS = 3;
const FEW_SETS = 1000;

/** ClickHouse's own way of a saved query, for the same question. */
const PREDEFINED_HANDLER = `<clickhouse><http_handlers>
  <rule><url>/bench</url><methods>GET</methods><handler>
    <type>predefined_query_handler</type>
    <query>SELECT toStartOfHour(timestamp) AS hour, min(execution_time_ms), max(execution_time_ms),
      avg(execution_time_ms), quantileTDigest(0.95)(execution_time_ms), quantileTDigest(0.99)(execution_time_ms), count(),
      countIf(status_code &gt;= 400) FROM logs.function_relay_logs WHERE project = 'aurora'
      AND timestamp &gt;= toStartOfHour(now() - INTERVAL 1 DAY) GROUP BY hour ORDER BY hour FORMAT JSON</query>
  </handler></rule>
  <defaults/>
</http_handlers></clickhouse>`;

export interface BenchCachedOptions {
  /** Of load on each server. */
  readonly seconds: number;
  /** Distinct parameter sets to fill the cache with. */
  readonly sets: number;
  /** A Redis for two gateways to share. */
  readonly redis?: string;
}

/** Loads every server in turn, and prints the table. */
export async function runBenchCached(options: BenchCachedOptions, signal: AbortSignal): Promise<void> {
  const { seconds, sets, redis } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-bench-'));
  const clickhouse = await EmbeddedServer.start({
    dataDir: folder,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    extraConfig: PREDEFINED_HANDLER,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  try {
    await interruptible(signal, async () => {
      await prepareDatabase(clickhouse.adminConnection, { demoDataUpTo: new Date() });
      print(`${cpus().length} cores, ${cpus()[0]?.model ?? ''}; node ${process.version}; 64 connections\n`);
      await compareHits(clickhouse, folder, seconds);
      await floodWithSets(seconds, sets);
      await countColdQueries(clickhouse, redis);
    });
  } finally {
    await clickhouse.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A key with a limit that the load does not reach, so that hits are counted as those of any tenant. */
async function limitedKey(
  folder: string,
): Promise<readonly [apiKey: string, environment: Readonly<Record<string, string>>]> {
  const apiKey = generateApiKey();
  const limits = { requests: { quota: 1_000_000_000, window: 60 } };
  const file = path.join(folder, 'keys.json');
  await writeFile(file, JSON.stringify({ keys: [{ name: 'bench', sha256: [hashApiKey(apiKey)], limits }] }));
  return [apiKey, { API_KEYS_FILE: file }];
}

/** The same bytes, the same load, one after the other. */
async function compareHits(clickhouse: EmbeddedServer, folder: string, seconds: number): Promise<void> {
  const [apiKey, keys] = await limitedKey(folder);
  const headers = { 'X-API-KEY': apiKey };
  const gateway = await startGateway(clickhouse.readerConnection, '', { ...keys, LOG_LEVEL: 'warn' });
  const logging = await startGateway(clickhouse.readerConnection, '', keys);
  const body = await (await fetch(gateway.url + QUESTION, { headers })).text();
  await fetch(logging.url + QUESTION, { headers });
  const encoded = Buffer.from(body).toString('base64');
  const node = await startServing(BASELINE, ['node', encoded], {});
  const express = await startServing(BASELINE, ['express', encoded], {});
  const { url, username, password } = clickhouse.adminConnection;
  const handlerHeaders = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  const nginx = hasNginx() ? await startNginxCache(`${url}/bench`, handlerHeaders) : undefined;
  const subjects: readonly (readonly [name: string, url: string, headers: Record<string, string>])[] = [
    ['bare Node http', node.url + QUESTION, {}],
    ['bare Express 5 route', express.url + QUESTION, {}],
    ['the gateway’s hit', gateway.url + QUESTION, headers],
    ['the gateway’s hit, a log line each', logging.url + QUESTION, headers],
    ...(nginx ? ([['nginx proxy_cache before ClickHouse’s handler', nginx.url, {}]] as const) : []),
    // Its query cache works on a full server only, not in the embedded one.
    ['ClickHouse predefined_query_handler, without its query cache', `${url}/bench`, handlerHeaders],
  ];
  print(
    `body of ${Buffer.byteLength(body)} bytes\n\n| server | requests/s | of bare Node | p50 | p99 | failures |`,
  );
  print('| --- | --: | --: | --: | --: | --: |');
  let bare: number | undefined;
  for (const [name, subject, subjectHeaders] of subjects) {
    const result = await loadServer([subject], subjectHeaders, seconds);
    bare ??= result.requestsPerSecond;
    print(rowOf(name, result, bare));
  }
  if (!nginx) print('\nnginx is not installed here, and so not in the table');
  await stopAll([gateway, logging, node, express, ...(nginx ? [nginx] : [])]);
}

/**
 * Many cached parameter sets, and the memory and the hits with them. What fills the cache is a stand-in for ClickHouse
 * that answers at once: ClickHouse itself would take ten minutes for 200,000 queries, and is not what is measured.
 */
async function floodWithSets(seconds: number, sets: number): Promise<void> {
  const apiKey = generateApiKey();
  const headers = { 'X-API-KEY': apiKey };
  const [encoded, rows] = cannedAnswer();
  const canned = await startServing(CANNED, [encoded, 'aurora', rows], {});
  const connection = { url: canned.url, username: 'default', password: '', database: 'logs' };
  const settings = { LOG_LEVEL: 'warn', CACHE_MEMORY_MB: String(CACHE_MEMORY_MB) };
  const few = await startGateway(connection, apiKey, settings);
  const full = await startGateway(connection, apiKey, settings);
  const started = performance.now();
  const failures = await askEach(urlsOf(full, sets), headers);
  const filled = (performance.now() - started) / 1000;
  // So that both have run the same code; and by turns, so that what else the machine does slows both.
  await askEach(urlsOf(few, FEW_SETS), headers);
  const taken = { few: 0, full: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.few += (await hitsOf(few, headers, seconds)) / ROUNDS;
    taken.full += (await hitsOf(full, headers, seconds)) / ROUNDS;
  }
  print(
    `\n${sets.toLocaleString('en')} distinct parameter sets asked in ${filled.toFixed(0)} s (${failures} failures): ` +
      `a hit runs at ${taken.full.toFixed(0)} requests/s, at a gateway with ${FEW_SETS} at ${taken.few.toFixed(0)} ` +
      `(${(100 * (taken.full / taken.few - 1)).toFixed(1)} %), and the process holds ` +
      `${await residentMegabytes(full.process)} MB with CACHE_MEMORY_MB=${CACHE_MEMORY_MB}`,
  );
  await stopAll([few, full, canned]);
}

const urlsOf = ({ url }: ServingProcess, sets: number): readonly string[] =>
  Array.from({ length: sets }, (_, set) => `${url}${PATH}?project=none-${set}`);

async function hitsOf(
  gateway: ServingProcess,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<number> {
  await fetch(gateway.url + QUESTION, { headers });
  return (await loadServer([gateway.url + QUESTION], headers, seconds)).requestsPerSecond;
}

/** Twenty-four hours of some service, in the bytes that ClickHouse would send, base64; and how many rows that is. */
function cannedAnswer(): readonly [encoded: string, rows: string] {
  const rows = Array.from({ length: 24 }, (_, hour) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 4, 17, hour)).toISOString(),
      min_execution_time: 3.25,
      max_execution_time: 912.5 + hour,
      avg_execution_time: 41.75 + hour / 7,
      p95_execution_time: 210.25 + hour / 3,
      p99_execution_time: 480.5 + hour / 9,
      count: 1200 + hour,
      error_count: hour,
    }),
  );
  return [Buffer.from(`{"result":[${rows.join(',\n')}]}`).toString('base64'), String(rows.length)];
}

/** Asks each of the URLs once, 64 at a time; says how many were not answered with 200. */
async function askEach(urls: readonly string[], headers: Readonly<Record<string, string>>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let failures = 0;
  const queue = urls.values();
  const work = async (): Promise<void> => {
    for (const url of queue) failures += (await statusOf(url, { headers, agent })) === 200 ? 0 : 1;
  };
  await Promise.all(Array.from({ length: 64 }, work));
  agent.destroy();
  return failures;
}

function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode);
      });
    }).on('error', reject);
  });
}

/** A thousand equal requests at once on a cold cache, at one gateway, and at two that share a Redis. */
async function countColdQueries(clickhouse: EmbeddedServer, redis: string | undefined): Promise<void> {
  const apiKey = generateApiKey();
  const more =
    redis === undefined ? {} : { REDIS_URL: redis, CACHE_KEY_PREFIX: `bench-${apiKey.slice(3, 11)}:` };
  const one = await startGateway(clickhouse.readerConnection, apiKey, { LOG_LEVEL: 'warn' });
  await tellQueries('one gateway', clickhouse, [one], apiKey);
  await one.stop();
  if (redis === undefined) {
    print('two gateways sharing a Redis: give --redis redis://… to see');
    return;
  }
  const two = [
    await startGateway(clickhouse.readerConnection, apiKey, { LOG_LEVEL: 'warn', ...more }),
    await startGateway(clickhouse.readerConnection, apiKey, { LOG_LEVEL: 'warn', ...more }),
  ];
  await tellQueries('two gateways sharing a Redis', clickhouse, two, apiKey);
  await stopAll(two);
}

async function tellQueries(
  name: string,
  clickhouse: EmbeddedServer,
  gateways: readonly ServingProcess[],
  apiKey: string,
): Promise<void> {
  const since = new Date();
  const asked = Array.from({ length: 1000 }, async (_, index) => {
    const gateway = gateways[index % gateways.length];
    const response = await fetch((gateway?.url ?? '') + QUESTION, { headers: { 'X-API-KEY': apiKey } });
    return response.status;
  });
  const statuses = new Set(await Promise.all(asked));
  const queries = await countQueries(clickhouse.adminConnection, since);
  print(
    `1,000 equal requests at once on a cold cache, ${name}: ${queries} queries; statuses ${[...statuses].join(', ')}`,
  );
}

function rowOf(name: string, { requestsPerSecond, p50, p99, failures }: Throughput, bare: number): string {
  const share = `${((100 * requestsPerSecond) / bare).toFixed(0)} %`;
  return `| ${name} | ${requestsPerSecond.toFixed(0)} | ${share} | ${p50} ms | ${p99} ms | ${failures} |`;
}

async function stopAll(processes: readonly ServingProcess[]): Promise<void> {
  await Promise.all(processes.map((serving) => serving.stop()));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
