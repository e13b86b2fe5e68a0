import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startGateway, startServing, type ServingProcess } from '../bench/gateway-process.js';
import { SteadyCallers } from '../bench/steady-callers.js';
import { loadServer, type Throughput } from '../bench/throughput.js';
import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { freePort } from '../clickhouse/embedded/free-port.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { fillDemoData } from '../demo-data/fill-demo-data.js';
import { generateApiKey, hashApiKey } from '../keys/api-key.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from '../project-files.js';

const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';
/** Its caching is disabled: each request is a query. */
const MISS = '/api/endpoints/query/logs.all?project=aurora';
const CANNED = fileURLToPath(new URL('../bench/canned-clickhouse.js', import.meta.url));
const CALLERS = 16;
const SETTLED_SECONDS = 2;
const POLL_MS = 100;

export interface BenchWorkersOptions {
  /** Of the larger gateway. */
  readonly workers: number;
  /** Of load each time. */
  readonly seconds: number;
  /** How often each is measured. */
  readonly rounds: number;
}

interface Keys {
  readonly free: string;
  /** Of a key with a limit that the load does not reach. */
  readonly limited: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** One row of the table: what is asked, where, and as whom. */
interface Load {
  readonly name: string;
  readonly path: string;
  readonly apiKey: string;
  readonly connection: ClickHouseConnection;
}

/** Loads gateways with one worker and with several in turn, then restarts one under load, and prints both. */
export async function runBenchWorkers(options: BenchWorkersOptions): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-bench-'));
  const clickhouse = await EmbeddedServer.start({
    dataDir: folder,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  try {
    await prepare(clickhouse);
    const keys = await makeKeys(folder);
    printHeader();
    const canned = await startServing(CANNED, [], {});
    await compare(options, loadsOf(clickhouse, canned, keys), keys);
    await canned.stop();
    await restartUnderLoad(options, clickhouse.readerConnection, keys);
  } finally {
    await clickhouse.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function printHeader(): void {
  const [core] = cpus();
  print(`${cpus().length} cores, ${core?.model ?? ''}; node ${process.version}; 64 connections.`);
  print(
    `The gateway, the load generator (autocannon, a process of one core) and ClickHouse share these cores: with fewer than\n` +
      `four of them more workers mostly take turns with the load, and what they give is seen on a larger machine only.\n`,
  );
}

async function prepare({ adminConnection }: EmbeddedServer): Promise<void> {
  await migrate({ connection: adminConnection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const client = connectClickHouse(adminConnection, { maxOpenConnections: 4, requestTimeoutMs: 120_000 });
  await fillDemoData(client, new Date());
  await client.close();
}

async function makeKeys(folder: string): Promise<Keys> {
  const [free, limited] = [generateApiKey(), generateApiKey()];
  const limits = { requests: { quota: 1_000_000_000, window: 60 } };
  const file = path.join(folder, 'keys.json');
  const stored = [
    { name: 'free', sha256: [hashApiKey(free)] },
    { name: 'limited', sha256: [hashApiKey(limited)], limits },
  ];
  await writeFile(file, JSON.stringify({ keys: stored }));
  return { free, limited, environment: { API_KEYS_FILE: file, LOG_LEVEL: 'warn' } };
}

/** A stand-in that answers at once shows what the gateway itself can do; it is a process of its own as well. */
function loadsOf({ readerConnection }: EmbeddedServer, canned: ServingProcess, keys: Keys): readonly Load[] {
  const standIn = { url: canned.url, username: 'default', password: '', database: 'logs' };
  return [
    { name: 'hits', path: HIT, apiKey: keys.free, connection: readerConnection },
    { name: 'hits, of a key with a limit', path: HIT, apiKey: keys.limited, connection: readerConnection },
    { name: 'misses, ClickHouse a stand-in', path: MISS, apiKey: keys.free, connection: standIn },
    { name: 'misses, ClickHouse', path: MISS, apiKey: keys.free, connection: readerConnection },
  ];
}

async function compare(
  { workers, seconds, rounds }: BenchWorkersOptions,
  loads: readonly Load[],
  keys: Keys,
): Promise<void> {
  print(`| requests/s (p99) | 1 worker | ${workers} workers | times | failures |`);
  print('| --- | --: | --: | --: | --: |');
  for (const { name, path: target, apiKey, connection } of loads) {
    const gateways = [
      await startGateway(connection, '', keys.environment),
      await startGateway(connection, '', { ...keys.environment, WORKERS: String(workers) }),
    ];
    const headers = { 'X-API-KEY': apiKey };
    const results: Throughput[][] = [[], []];
    // In turn, so that what else the machine does slows both.
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { url }] of gateways.entries()) {
        results[index]?.push(await loadServer([url + target], headers, seconds));
      }
    }
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    print(rowOf(name, results[0] ?? [], results[1] ?? []));
  }
}

function rowOf(name: string, one: readonly Throughput[], several: readonly Throughput[]): string {
  const rate = (results: readonly Throughput[]): number =>
    results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0) / results.length;
  const cell = (results: readonly Throughput[]): string =>
    `${rate(results).toFixed(0)} (${Math.max(...results.map(({ p99 }) => p99))} ms)`;
  const failures = [...one, ...several].reduce((sum, result) => sum + result.failures, 0);
  return `| ${name} | ${cell(one)} | ${cell(several)} | ${(rate(several) / rate(one)).toFixed(2)} | ${failures} |`;
}

/** Callers on connections that they keep alive ask without a pause while every worker is replaced. */
async function restartUnderLoad(
  { workers }: BenchWorkersOptions,
  connection: ClickHouseConnection,
  keys: Keys,
): Promise<void> {
  const adminPort = await freePort();
  const environment = { ...keys.environment, WORKERS: String(workers), ADMIN_PORT: String(adminPort) };
  const gateway = await startGateway(connection, '', environment);
  await untilStarted(adminPort, workers, workers);
  const headers = { 'X-API-KEY': keys.free };
  const kinds = [
    ['hits', new SteadyCallers(gateway.url + HIT, headers, CALLERS, ']}')],
    ['misses', new SteadyCallers(gateway.url + MISS, headers, CALLERS, ']}')],
  ] as const;
  await delay(SETTLED_SECONDS * 1000);
  const began = performance.now();
  gateway.process.kill('SIGHUP');
  await untilStarted(adminPort, 2 * workers, workers);
  const seconds = (performance.now() - began) / 1000;
  await delay(SETTLED_SECONDS * 1000);
  print(
    `\na rolling restart of ${workers} workers in ${seconds.toFixed(1)} s, while ${CALLERS} callers of each kind ask without a pause:\n`,
  );
  print('| kind | sent | answered whole | lost |\n| --- | --: | --: | --: |');
  for (const [kind, callers] of kinds) {
    const { sent, answered, lost } = await callers.stop();
    print(
      `| ${kind} | ${sent} | ${answered} | ${lost.length}${lost.length > 0 ? `: ${lost[0] ?? ''}` : ''} |`,
    );
  }
  await gateway.stop();
}

/** Waits until so many workers have been started in all, and none is left that is being replaced. */
async function untilStarted(adminPort: number, starts: number, workers: number): Promise<void> {
  const now = (text: string, name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => undefined);
    const text = (await response?.text().catch(() => '')) ?? '';
    const started = now(text, 'querygate_worker_starts_total');
    if (started === starts && now(text, 'querygate_workers') === workers) return;
    await delay(POLL_MS);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
