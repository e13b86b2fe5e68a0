import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';

import { fillBenchmarkData } from '../bench/fill-benchmark-data.js';
import { startGateway } from '../bench/gateway-process.js';
import { measure, type Measurement, type Question } from '../bench/measure-endpoints.js';
import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import { generateApiKey } from '../keys/api-key.js';
import { ENDPOINTS_FOLDER, READER_USER_FILE, SCHEMA_FOLDER } from '../project-files.js';
import { Progress } from './progress.js';
import { interruptible } from './run-command.js';

export interface BenchOptions {
  /** Edge logs to make. */
  readonly rows: number;
  /** Calls of each question that are timed. */
  readonly rounds: number;
}

/** Makes the data in a server of its own, measures every question, and prints the tables. */
export async function runBench({ rows, rounds }: BenchOptions, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-bench-'));
  const server = await EmbeddedServer.start({
    dataDir: folder,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  try {
    await interruptible(signal, async () => {
      const now = new Date().toISOString().replace('T', ' ').replace('Z', '');
      await fill(server.adminConnection, rows, now);
      await measureAll(server, rounds);
    });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(connection: ClickHouseConnection, rows: number, now: string): Promise<void> {
  await migrate({ connection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const client = connectClickHouse(connection, { maxOpenConnections: 2, requestTimeoutMs: 3_600_000 });
  const started = performance.now();
  await fillBenchmarkData(client, { edgeLogs: rows, functionRelayLogs: Math.ceil(rows / 2) }, now);
  await client.close();
  print(
    `made ${rows.toLocaleString('en')} edge logs and the rest in ${Math.round((performance.now() - started) / 1000)} s`,
  );
}

async function measureAll(server: EmbeddedServer, rounds: number): Promise<void> {
  const apiKey = generateApiKey();
  const gateway = await startGateway(server.readerConnection, apiKey);
  try {
    const endpoints = await loadEndpoints(ENDPOINTS_FOLDER);
    const client = connectClickHouse(server.readerConnection, {
      maxOpenConnections: 2,
      requestTimeoutMs: 120_000,
    });
    const { questions, total } = await chooseQuestions(client);
    const measurements: Measurement[] = [];
    const subjects = { endpoints, gateway: { url: gateway.url, apiKey }, client };
    const progress = new Progress({ phase: 'measuring', done: 0, total: questions.length });
    for (const question of questions) {
      progress.update({ done: measurements.length, detail: question.endpoint });
      measurements.push(await measure(subjects, question, rounds));
    }
    progress.end();
    report(measurements, total, rounds);
    await client.close();
  } finally {
    await gateway.stop();
  }
}

/** One project among the largest, and one of about a tenth of a percent of all rows. */
async function chooseQuestions(
  client: ClickHouseClient,
): Promise<{ readonly questions: readonly Question[]; readonly total: number }> {
  const result = await client.query({
    query: 'SELECT project, count() AS rows FROM edge_logs GROUP BY project ORDER BY rows DESC',
    format: 'JSONEachRow',
  });
  const projects = (await result.json<{ project: string; rows: string | number }>()).map((row) => ({
    project: row.project,
    rows: Number(row.rows),
  }));
  const total = projects.reduce((sum, { rows }) => sum + rows, 0);
  const large = projects[0]?.project ?? '';
  const small = projects.toSorted(
    (a, b) => Math.abs(a.rows - total / 1000) - Math.abs(b.rows - total / 1000),
  )[0];
  const of = (label: string, project: string): readonly Question[] => [
    { label, endpoint: 'functions.invocation-stats', parameters: { project, interval: '1day' } },
    { label, endpoint: 'logs.all', parameters: { project, project_tier: 'PRO' } },
    { label, endpoint: 'usage.api-counts', parameters: { project, interval: 'daily' } },
  ];
  const day = new Date(Date.now() - 86_400_000).toISOString();
  return {
    total,
    questions: [
      ...of('largest project', large),
      ...of('0.1 % project', small?.project ?? ''),
      {
        label: 'last day',
        endpoint: 'get-grouped-stats-events-logs',
        parameters: { event_type: 'view', start_time: day },
      },
      { label: 'last day', endpoint: 'get-grouped-stats-redirects', parameters: { start_time: day } },
    ],
  };
}

function report(measurements: readonly Measurement[], total: number, rounds: number): void {
  const cpu = cpus();
  print(
    `\n${cpu.length} cores, ${cpu[0]?.model ?? ''}; node ${process.version}; ${rounds} calls each, in turn\n`,
  );
  print(
    '| endpoint | question | HTTP median | HTTP p99 | bare median | bare p99 | gateway adds | rows read | MB read |',
  );
  print('| --- | --- | --: | --: | --: | --: | --: | --: | --: |');
  for (const { question, overHttp, bareQuery, rowsRead, bytesRead } of measurements) {
    const cells = [
      question.endpoint,
      question.label,
      ms(overHttp.median),
      ms(overHttp.p99),
      ms(bareQuery.median),
      ms(bareQuery.p99),
      ms(overHttp.median - bareQuery.median),
      `${rowsRead.toLocaleString('en')} (${((100 * rowsRead) / total).toFixed(2)} %)`,
      (bytesRead / 1e6).toFixed(1),
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

const ms = (value: number): string => `${value.toFixed(2)} ms`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
