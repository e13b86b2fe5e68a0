import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';

import { startGateway } from '../bench/gateway-process.js';
import { measureMemory, type MemoryPeaks, type Peak } from '../bench/measure-memory.js';
import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { generateApiKey } from '../keys/api-key.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from '../project-files.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { wholeNumber } from './option-values.js';
import { interruptible, runCommand, runWhenMain } from './run-command.js';

interface BenchMemoryOptions {
  readonly requests: number;
}

/** As many rows as `logs.all` returns at most. */
const ROWS = 100;
/** MAX_CONCURRENT_QUERIES, and megabytes of a response. */
const SCENARIOS = [
  { slots: 16, megabytes: 1 },
  { slots: 16, megabytes: 10 },
  { slots: 200, megabytes: 1 },
  { slots: 200, megabytes: 10 },
] as const;

/** `npm run bench:memory`: what large responses take in ClickHouse and in the gateway. */
export function benchMemoryCommand(): Command {
  return new Command('bench-memory')
    .description(
      'Measures the memory of ClickHouse and of the gateway at concurrent large responses (Linux).',
    )
    .option('--requests <n>', 'sent at the same time', wholeNumber, 200)
    .addHelpText('after', `\n${EXIT_CODES_HELP}`)
    .action((options: BenchMemoryOptions) => runCommand((signal) => run(options, signal)));
}

async function run({ requests }: BenchMemoryOptions, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-bench-'));
  try {
    await interruptible(signal, async () => {
      print('| slots | MB each | statuses | s | ClickHouse MB | gateway MB |');
      print('| --: | --: | --- | --: | --: | --: |');
      for (const scenario of SCENARIOS) {
        const { slots, megabytes } = scenario;
        const dataDir = path.join(folder, `${slots}-${megabytes}`);
        print(rowOf(slots, await measureScenario(dataDir, scenario, requests)));
      }
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** On a server and a gateway of its own: memory that a process has had once, it may keep. */
async function measureScenario(
  dataDir: string,
  { slots, megabytes }: (typeof SCENARIOS)[number],
  requests: number,
): Promise<MemoryPeaks> {
  const server = await EmbeddedServer.start({
    dataDir,
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  try {
    await fill(server.adminConnection, megabytes);
    const settings = path.join(dataDir, 'settings.json');
    // Nothing is cached and nothing shared: each request is a query.
    await writeFile(settings, '{"logs.all":{"caching":"disabled"}}');
    const apiKey = generateApiKey();
    const gateway = await startGateway(server.readerConnection, apiKey, {
      ENDPOINT_SETTINGS_FILE: settings,
      MAX_CONCURRENT_QUERIES: String(slots),
      QUEUE_TIMEOUT_SECONDS: '300',
      QUERY_TIMEOUT_SECONDS: '300',
    });
    try {
      return await measureMemory({
        url: `${gateway.url}/api/endpoints/query/logs.all?project=p&project_tier=PRO`,
        apiKey,
        requests,
        clickhousePid: server.pid ?? 0,
        gatewayPid: gateway.process.pid ?? 0,
      });
    } finally {
      await gateway.stop();
    }
  } finally {
    await server.stop();
  }
}

async function fill(connection: ClickHouseConnection, megabytes: number): Promise<void> {
  await migrate({ connection, migrations: await readMigrations(SCHEMA_FOLDER) });
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 60_000 });
  await client.command({
    query: `INSERT INTO edge_logs (project, event_message)
      SELECT 'p', randomPrintableASCII({bytes:UInt32}) FROM numbers({rows:UInt32})`,
    query_params: { bytes: (megabytes * 1e6) / ROWS, rows: ROWS },
  });
  await client.close();
}

function rowOf(
  slots: number,
  { statuses, responseBytes, seconds, clickhouse, gateway }: MemoryPeaks,
): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const cells = [
    slots,
    mb(responseBytes),
    counts.join(', '),
    seconds.toFixed(1),
    grown(clickhouse),
    grown(gateway),
  ];
  return `| ${cells.join(' | ')} |`;
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);
const grown = ({ before, most }: Peak): string => `${mb(before)} to ${mb(most)}`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runWhenMain(import.meta.url, benchMemoryCommand);
