import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';

import { startGateway } from '../bench/gateway-process.js';
import { agent } from '../bench/scale/ask.js';
import { handlersConfig } from '../bench/scale/handlers.js';
import { FILLINGS, fillTable } from '../bench/scale/make-data.js';
import {
  measureDisk,
  measureInserts,
  type DiskUse,
  type InsertCost,
} from '../bench/scale/measure-inserts.js';
import { measureQuestion, type ScaleMeasurement } from '../bench/scale/measure-scale.js';
import { createPlainTable, fillPlainTable } from '../bench/scale/plain-tables.js';
import { findProjects, questionsAbout } from '../bench/scale/questions.js';
import { diskTable, growthTable, insertTable, questionTable } from '../bench/scale/report.js';
import { connectClickHouse } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { generateApiKey } from '../keys/api-key.js';
import { ENDPOINTS_FOLDER, READER_USER_FILE, SCHEMA_FOLDER } from '../project-files.js';
import { Progress } from './progress.js';
import { interruptible } from './run-command.js';

export interface BenchScaleOptions {
  readonly rows: number;
  readonly rounds: number;
  readonly data?: string;
  readonly makeOnly?: boolean;
}

const INSERT_ROUNDS = 7;
const OLDEST_MINUTES = 180;

/** Makes the data for each size, measures every question on it, and prints the tables. */
export async function runBenchScale(options: BenchScaleOptions, signal: AbortSignal): Promise<void> {
  const folder = options.data ?? (await mkdtemp(path.join(tmpdir(), 'querygate-scale-')));
  const endpoints = await loadEndpoints(ENDPOINTS_FOLDER);
  const server = await EmbeddedServer.start({
    dataDir: folder,
    database: 'default',
    readerUserFile: READER_USER_FILE,
    extraConfig: handlersConfig(endpoints),
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  const client = connectClickHouse(server.adminConnection, {
    maxOpenConnections: 4,
    requestTimeoutMs: 3_600_000,
  });
  try {
    await interruptible(signal, () => runSizes({ server, client, endpoints }, options));
  } finally {
    agent.destroy();
    await client.close();
    await server.stop();
    if (options.data === undefined) await rm(folder, { recursive: true, force: true });
  }
}

interface Stand {
  readonly server: EmbeddedServer;
  readonly client: ClickHouseClient;
  readonly endpoints: EndpointRegistry;
}

/** A hundredth, a tenth and the whole, none below a million where the whole is not. */
const sizesUpTo = (rows: number): readonly number[] =>
  [rows / 100, rows / 10, rows].filter((size) => size === rows || size >= 1_000_000).map(Math.round);

async function runSizes(stand: Stand, { rows, rounds, makeOnly = false }: BenchScaleOptions): Promise<void> {
  const cpu = cpus();
  print(`${cpu.length} cores, ${cpu[0]?.model ?? ''}; node ${process.version}; ${rounds} calls each`);
  const bySize = new Map<number, readonly ScaleMeasurement[]>();
  for (const size of sizesUpTo(rows)) {
    const names = { database: `scale_${size}`, plain: `plain_${size}` };
    await makeSize(stand, names, size);
    if (makeOnly) continue;
    await untilMerged(stand.client);
    bySize.set(size, await measureSize(stand, names, rounds));
    print(`\n${size.toLocaleString('en')} rows a table\n\n${questionTable(bySize.get(size) ?? [])}`);
    if (size !== rows) continue;
    const { inserts, disk } = await measureWriting(stand, names);
    print(`\n${insertTable(inserts)}\n\n${diskTable(disk)}`);
  }
  if (bySize.size > 1) print(`\n${growthTable(bySize)}`);
}

interface Names {
  readonly database: string;
  readonly plain: string;
}

/** Makes what is not there as a whole. */
async function makeSize({ server, client }: Stand, names: Names, size: number): Promise<void> {
  const { database, plain } = names;
  await migrate({
    connection: { ...server.adminConnection, database },
    migrations: await readMigrations(SCHEMA_FOLDER),
  });
  const own = connectClickHouse(
    { ...server.adminConnection, database },
    { maxOpenConnections: 2, requestTimeoutMs: 3_600_000 },
  );
  const progress = new Progress({ phase: `making ${size.toLocaleString('en')} rows`, done: 0, total: size });
  const end = new Date().toISOString().slice(0, -1);
  try {
    for (const filling of FILLINGS) {
      const { table } = filling;
      const has = await rowsOf(client, database, table);
      const hasPlain = await rowsOf(client, plain, table);
      if (has === size && hasPlain === size) continue;
      if (has > 0 || hasPlain > 0) {
        throw new Error(`${database}.${table} was not made to its end: empty the data folder and begin anew`);
      }
      const started = performance.now();
      await fillTable(own, filling, size, end, (detail, done) => {
        progress.update({ done, detail });
      });
      await createPlainTable(client, plain, database, table);
      await fillPlainTable(client, plain, database, table);
      print(`made ${size.toLocaleString('en')} ${table}, twice, in ${secondsSince(started)} s`);
    }
  } finally {
    progress.end();
    await own.close();
  }
}

async function rowsOf(client: ClickHouseClient, database: string, table: string): Promise<number> {
  const result = await client.query({
    query: `
      SELECT sum(rows) FROM system.parts
      WHERE active AND database = {database:String} AND table = {table:String}`,
    query_params: { database, table },
    format: 'JSONCompactEachRow',
  });
  const [[count] = [0]] = await result.json<[string | number]>();
  return Number(count);
}

async function measureSize(
  { server, client, endpoints }: Stand,
  { database, plain }: Names,
  rounds: number,
): Promise<readonly ScaleMeasurement[]> {
  const connection = { ...server.adminConnection, database };
  const apiKey = generateApiKey();
  const gateway = await startGateway(connection, apiKey, {
    CLICKHOUSE_DATABASE: database,
    LOG_LEVEL: 'warn',
  });
  const own = connectClickHouse(connection, { maxOpenConnections: 2, requestTimeoutMs: 600_000 });
  try {
    await refuseOldData(own);
    const questions = questionsAbout(await findProjects(own));
    const subjects = {
      endpoints,
      gateway: { url: gateway.url, apiKey },
      clickhouse: {
        url: connection.url,
        headers: { 'X-ClickHouse-User': connection.username, 'X-ClickHouse-Key': connection.password },
      },
      client,
      database,
      plainDatabase: plain,
    };
    const measured: ScaleMeasurement[] = [];
    for (const [index, question] of questions.entries()) {
      measured.push(await measureQuestion(subjects, question, index, rounds));
    }
    return measured;
  } finally {
    await own.close();
    await gateway.stop();
  }
}

/** What merges in the background takes the cores of what is measured; longer than ten minutes it is not waited for. */
async function untilMerged(client: ClickHouseClient): Promise<void> {
  for (let seconds = 0; seconds < 600; seconds += 1) {
    const result = await client.query({
      query: 'SELECT count() FROM system.merges',
      format: 'JSONCompactEachRow',
    });
    const [[running] = [0]] = await result.json<[string | number]>();
    if (Number(running) === 0) return;
    await delay(1000);
  }
}

/** Questions are about the days up to now: on old data they would find less and less, and look ever faster. */
async function refuseOldData(client: ClickHouseClient): Promise<void> {
  const query = "SELECT dateDiff('minute', max(timestamp), now64(6, 'UTC')) FROM edge_logs";
  const result = await client.query({ query, format: 'JSONCompactEachRow' });
  const [[minutes] = [0]] = await result.json<[string | number]>();
  if (Number(minutes) > OLDEST_MINUTES) {
    throw new Error(`The data ends ${minutes} minutes ago, ${OLDEST_MINUTES} at most: empty the data folder`);
  }
}

async function measureWriting(
  { server, client }: Stand,
  { database, plain }: Names,
): Promise<{ readonly inserts: readonly InsertCost[]; readonly disk: readonly DiskUse[] }> {
  const scratch = { source: database, database: 'inserts_projected', plain: 'inserts_plain' };
  const connection = { ...server.adminConnection, database: scratch.database };
  await migrate({ connection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const inserts: InsertCost[] = [];
  const disk: DiskUse[] = [];
  for (const { table } of FILLINGS) {
    await createPlainTable(client, scratch.plain, database, table);
    inserts.push(await measureInserts(client, scratch, table, INSERT_ROUNDS));
    disk.push(await measureDisk(client, { database, plain }, table));
  }
  for (const each of [scratch.database, scratch.plain]) {
    await client.command({ query: `DROP DATABASE ${each} SYNC` });
  }
  return { inserts, disk };
}

const secondsSince = (started: number): string => ((performance.now() - started) / 1000).toFixed(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
