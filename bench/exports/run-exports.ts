import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { startDeployed, startThisBuild } from '../gateway/deployed-gateway.js';
import { cpuMicroseconds } from '../measuring/cpu-time.js';
import { httpGet } from '../measuring/http-get.js';
import {
  formatCount,
  formatMegabytes,
  formatMs,
  print,
  printMachine,
  printTable,
} from '../measuring/print.js';
import { residentBytes, resetPeak } from '../measuring/resident-memory.js';
import { summarise, timed } from '../measuring/sampling.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

const SELECT = `SELECT number AS id, concat('Request ', toString(number), ' of "a client" took ', toString(number % 977), ' ms') AS message,
  if(number % 3 = 0, NULL, toString(number)) AS session, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number AS at, number / 3 AS share`;

/** An endpoint that exports, and one of a small query, whose every call is a miss. */
const files = (rows: number): Readonly<Record<string, string>> => ({
  records: `/*
name: records
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e0001
summary: Records.
columns: { id: UInt64, message: String, session: Nullable(String), at: "DateTime64(3, 'UTC')", share: Float64 }
caching: disabled
exports: { maxRows: ${rows}, maxSeconds: 600 }
example: {}
*/
${SELECT} FROM numbers(${rows})
`,
  small: `/*
name: small
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e0002
summary: A small query.
columns: { hour: UInt64, n: UInt64 }
caching: disabled
example: {}
*/
SELECT intDiv(number, 10000) AS hour, count() AS n FROM numbers(100000) GROUP BY hour ORDER BY hour
`,
});

/** Measures exports beside a bare pipe of the same rows, and other queries beside two exports; prints tables. */
export async function runExports(stage: Stage, rows: number, rounds: number): Promise<void> {
  const folder = path.join(stage.folder, 'exports');
  await mkdir(path.join(folder, 'endpoints'), { recursive: true });
  for (const [name, text] of Object.entries(files(rows)))
    await writeFile(path.join(folder, 'endpoints', `${name}.sql`), text);
  const build = await startThisBuild(stage);
  const { file: keysFile, keys } = await stage.writeKeys({ exporter: { mayExport: true } });
  const gateway = await startDeployed({ stage, keysFile }, build, { PROJECT_DIR: folder });
  const pipe = await startPipe(stage, build.clickhouse.adminConnection, rows);
  const target = `${gateway.url}/api/endpoints/query`;
  const exportUrl = `${target}/records?format=ndjson&export=1`;
  printMachine(`${formatCount(rows)} rows; ClickHouse, gateway, pipe and curl share these cores`);

  const exporting: Subject = {
    name: 'export',
    server: gateway,
    args: ['-H', `X-API-KEY: ${keys.exporter}`, exportUrl],
  };
  const subjects: readonly Subject[] = [exporting, { name: 'bare pipe', server: pipe, args: [pipe.url] }];
  printTable(
    ['NDJSON', 'MB/s', 'ratio', 'CPU', 'memory added', 'bytes'],
    await measureRates(subjects, rounds),
  );
  const headers = { 'X-API-KEY': keys.exporter };
  const small = (): Promise<unknown> => httpGet(`${target}/small`, headers);
  print('\nMisses of a small query, one at a time');
  printTable(['beside', 'median', 'p99'], await measureMisses(small, exporting, rounds));
}

interface Subject {
  readonly name: string;
  readonly server: ServerProcess;
  /** Of curl. */
  readonly args: readonly string[];
}

async function startPipe(
  stage: Stage,
  { url, username, password }: { readonly url: string; readonly username: string; readonly password: string },
  rows: number,
): Promise<ServerProcess> {
  const settings = new URLSearchParams({
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: '0',
  });
  const piped = {
    url: `${url}/?${settings.toString()}`,
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    body: `${SELECT} FROM numbers(${rows}) FORMAT JSONEachRow`,
  };
  const module = fileURLToPath(new URL('../servers/bare-pipe.js', import.meta.url));
  return stage.startModule(module, [JSON.stringify(piped)]);
}

const run = promisify(execFile);

/** Downloads with curl, which is a process of its own and counts bytes only. @throws Error where the transfer breaks */
async function download(args: readonly string[]): Promise<number> {
  const { stdout } = await run('curl', ['-sSf', '-o', '/dev/null', '-w', '%{size_download}', ...args]);
  return Number(stdout);
}

async function measureRates(subjects: readonly Subject[], rounds: number): Promise<readonly string[][]> {
  const measured = subjects.map((subject) => ({
    subject,
    rates: [] as number[],
    cpu: [] as number[],
    added: 0,
    bytes: 0,
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const each of measured) {
      const { pid } = each.subject.server;
      const before = await residentBytes(pid);
      await resetPeak(pid);
      const cpu = await cpuMicroseconds(pid);
      const milliseconds = await timed(async () => (each.bytes = await download(each.subject.args)));
      each.cpu.push((await cpuMicroseconds(pid)) - cpu);
      each.rates.push(each.bytes / 1e3 / milliseconds);
      each.added = Math.max(each.added, (await residentBytes(pid, 'VmHWM')) - before);
    }
  }
  const [, bare] = measured.map(({ rates }) => summarise(rates).median);
  return measured.map(({ subject: { name }, rates, cpu, added, bytes }) => {
    const { median } = summarise(rates);
    const seconds = summarise(cpu).median / 1e6;
    return [
      name,
      median.toFixed(0),
      (median / (bare ?? Number.NaN)).toFixed(2),
      `${seconds.toFixed(1)} s`,
      formatMegabytes(added),
      formatCount(bytes),
    ];
  });
}

const MISSES_OF_A_ROUND = 500;

/** Alternates: rounds of misses alone, and rounds beside two exports that run all the time. */
async function measureMisses(
  miss: () => Promise<unknown>,
  exporting: Subject,
  rounds: number,
): Promise<readonly string[][]> {
  const samples = { nothing: [] as number[], 'two exports': [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    await sample(miss, samples.nothing);
    const exports = [1, 2].map(() => new RepeatedExport(exporting.args));
    await sample(miss, samples['two exports']);
    await Promise.all(exports.map((each) => each.stop()));
  }
  return Object.entries(samples).map(([beside, each]) => {
    const { median, p99 } = summarise(each);
    return [beside, formatMs(median), formatMs(p99)];
  });
}

async function sample(miss: () => Promise<unknown>, samples: number[]): Promise<void> {
  for (let call = 0; call < MISSES_OF_A_ROUND; call += 1) samples.push(await timed(miss));
}

/** Starts an export again whenever it ends, until it is stopped. */
class RepeatedExport {
  private isStopped = false;
  private child: ChildProcess | undefined;
  private readonly ended: Promise<void>;

  constructor(private readonly args: readonly string[]) {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.child?.kill('SIGTERM');
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.child = spawn('curl', ['-sS', '-o', '/dev/null', ...this.args], { stdio: 'ignore' });
      await once(this.child, 'exit');
    }
  }
}
