import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { fillDemoData } from '../demo-data/fill-demo-data.js';
import { generateApiKey, hashApiKey } from '../keys/api-key.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from '../project-files.js';
import { GatewayFleet } from './gateway-fleet.js';
import { startServing } from './gateway-process.js';
import { hasNginx } from './nginx.js';
import { hasRedisServer, startRedisServer } from './redis-server.js';
import { SteadyCallers } from './steady-callers.js';
import { loadServer, type Throughput } from './throughput.js';

const HELP = `npm run bench:gateways -- [--seconds 5] [--rounds 3] [--gateways 1,2,4]

Measures hits and misses of 1, 2 and 4 gateways that share a Redis, behind nginx as it is in deploy/, and a rolling restart under
load. It needs nginx and redis-server on this machine (apt-get install nginx redis-server).
`;
const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';
/** Its caching is disabled: each request is a query. */
const MISS = '/api/endpoints/query/logs.all?project=aurora';
const CANNED = fileURLToPath(new URL('canned-clickhouse.js', import.meta.url));
const CALLERS = 16;
const SETTLED_MS = 2000;

interface Load {
  readonly name: string;
  readonly target: string;
  readonly apiKey: string;
}

interface Measure {
  readonly seconds: number;
  readonly rounds: number;
  readonly sizes: readonly number[];
}

/** What a fleet needs beside ClickHouse. */
type Environment = Readonly<Record<string, string>>;

async function main(): Promise<void> {
  const options = {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    gateways: { type: 'string', default: '1,2,4' },
    help: { type: 'boolean', default: false },
  } as const;
  const { seconds, rounds, gateways, help } = parseArgs({ options }).values;
  if (help) {
    print(HELP);
    return;
  }
  requirePrograms();
  const measure = {
    seconds: Number(seconds),
    rounds: Number(rounds),
    sizes: gateways.split(',').map(Number),
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-bench-'));
  const clickhouse = await EmbeddedServer.start({
    dataDir: folder,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  const redis = await startRedisServer();
  try {
    await prepare(clickhouse);
    await measureAll(measure, clickhouse.readerConnection, await writeKeys(folder, redis.url));
  } finally {
    await redis.stop();
    await clickhouse.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Error naming every program that is missing. */
function requirePrograms(): void {
  const missing = [...(hasNginx() ? [] : ['nginx']), ...(hasRedisServer() ? [] : ['redis-server'])];
  if (missing.length > 0) throw new Error(`bench:gateways needs ${missing.join(' and ')} on this machine`);
}

async function prepare({ adminConnection }: EmbeddedServer): Promise<void> {
  await migrate({ connection: adminConnection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const client = connectClickHouse(adminConnection, { maxOpenConnections: 4, requestTimeoutMs: 120_000 });
  await fillDemoData(client, new Date());
  await client.close();
}

interface Keys {
  readonly free: string;
  /** Has a limit that the load does not reach. */
  readonly limited: string;
  readonly environment: Environment;
}

async function writeKeys(folder: string, redisUrl: string): Promise<Keys> {
  const [free, limited] = [generateApiKey(), generateApiKey()];
  const limits = { requests: { quota: 1_000_000_000, window: 60 } };
  const file = path.join(folder, 'keys.json');
  const stored = [
    { name: 'free', sha256: [hashApiKey(free)] },
    { name: 'limited', sha256: [hashApiKey(limited)], limits },
  ];
  await writeFile(file, JSON.stringify({ keys: stored }));
  return { free, limited, environment: { API_KEYS_FILE: file, REDIS_URL: redisUrl, LOG_LEVEL: 'warn' } };
}

async function measureAll(measure: Measure, connection: ClickHouseConnection, keys: Keys): Promise<void> {
  print(`${cpus().length} cores, ${cpus()[0]?.model ?? ''}; node ${process.version}; 64 connections.`);
  print('Gateways, nginx, Redis, ClickHouse and the load generator share these cores.\n');
  print(`| requests/s (p99) |${measure.sizes.map((size) => ` ${size} |`).join('')} failures |`);
  print(`| --- |${measure.sizes.map(() => ' --: |').join('')} --: |`);
  const hits = { target: HIT, apiKey: keys.free };
  const misses = { target: MISS, apiKey: keys.free };
  await compare(measure, connection, keys.environment, [
    { name: 'hits', ...hits },
    { name: 'hits, of a key with a limit', ...hits, apiKey: keys.limited },
    { name: 'misses, ClickHouse', ...misses },
  ]);
  // A stand-in that responds at once shows what the gateways themselves can do.
  const canned = await startServing(CANNED, [], {});
  const standIn = { url: canned.url, username: 'default', password: '', database: 'logs' };
  await compare(measure, standIn, keys.environment, [{ name: 'misses, ClickHouse a stand-in', ...misses }]);
  await canned.stop();
  await restartUnderLoad(Math.max(2, ...measure.sizes), connection, keys);
}

async function compare(
  { seconds, rounds, sizes }: Measure,
  connection: ClickHouseConnection,
  environment: Environment,
  loads: readonly Load[],
): Promise<void> {
  const fleets: GatewayFleet[] = [];
  for (const size of sizes) {
    fleets.push(
      await GatewayFleet.open(size, connection, { ...environment, CACHE_KEY_PREFIX: `fleet-${size}:` }),
    );
  }
  for (const { name, target, apiKey } of loads) {
    const results = fleets.map((): Throughput[] => []);
    // In turn, so that what else the machine does slows all of them.
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { url }] of fleets.entries()) {
        results[index]?.push(await loadServer([url + target], { 'X-API-KEY': apiKey }, seconds));
      }
    }
    const failures = results.flat().reduce((sum, result) => sum + result.failures, 0);
    print(`| ${name} |${results.map((each) => ` ${cellOf(each)} |`).join('')} ${failures} |`);
  }
  for (const fleet of fleets) await fleet.stop();
}

function cellOf(results: readonly Throughput[]): string {
  const total = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  return `${(total / results.length).toFixed(0)} (${Math.max(...results.map(({ p99 }) => p99))} ms)`;
}

/** Callers with kept-alive connections send requests without a pause while every gateway is restarted. */
async function restartUnderLoad(size: number, connection: ClickHouseConnection, keys: Keys): Promise<void> {
  const fleet = await GatewayFleet.open(size, connection, keys.environment);
  const headers = { 'X-API-KEY': keys.free };
  const kinds = [
    ['hits', new SteadyCallers(fleet.url + HIT, headers, CALLERS, ']}')],
    ['misses', new SteadyCallers(fleet.url + MISS, headers, CALLERS, ']}')],
  ] as const;
  await delay(SETTLED_MS);
  const startedAt = performance.now();
  await fleet.restartInTurn();
  const seconds = (performance.now() - startedAt) / 1000;
  await delay(SETTLED_MS);
  print(
    `\nRolling restart of ${size} gateways in ${seconds.toFixed(1)} s, ${CALLERS} callers of each kind:\n`,
  );
  print('| kind | sent | complete responses | lost |\n| --- | --: | --: | --: |');
  for (const [kind, callers] of kinds) {
    const { sent, answered, lost } = await callers.stop();
    const first = lost.length > 0 ? `: ${lost[0] ?? ''}` : '';
    print(`| ${kind} | ${sent} | ${answered} | ${lost.length}${first} |`);
  }
  await fleet.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// An exit, unlike a signal, ends the processes that were started.
process.once('SIGINT', () => process.exit(130));
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
