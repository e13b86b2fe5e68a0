import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';

import { makeEdgeLogs, SHARDING_KEY } from '../bench/barrier/barrier-data.js';
import { barrierTable, measureBarrier } from '../bench/barrier/measure-barrier.js';
import { connectClickHouse } from '../clickhouse/connection.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { freePort } from '../clickhouse/embedded/free-port.js';
import { createQueryRunner } from '../clickhouse/query-runner.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import { ENDPOINTS_FOLDER, READER_USER_FILE } from '../project-files.js';
import { interruptible } from './run-command.js';

interface BarrierOptions {
  readonly rows: number;
  readonly rounds: number;
}

const CLUSTER = 'bench';
/** Databases of the first server: the one has the rows, the other a table over both shards. */
const ONE_SERVER = 'one_server';
const TWO_SHARDS = 'two_shards';
const TIMEOUT_MS = 600_000;

/** Measures what the barrier around a caller's SQL costs, on one server and on two shards, and prints a table of each. */
export async function runBenchBarrier(options: BarrierOptions, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-barrier-'));
  const ports = [await freePort(), await freePort()];
  const servers: EmbeddedServer[] = [];
  try {
    for (const index of ports.keys()) servers.push(await startShard(folder, ports, index));
    await interruptible(signal, () => measure(servers, options));
  } finally {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startShard(folder: string, ports: readonly number[], index: number): Promise<EmbeddedServer> {
  const shards = ports.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  const server = await EmbeddedServer.start({
    dataDir: path.join(folder, `shard-${index}`),
    database: 'default',
    readerUserFile: READER_USER_FILE,
    extraConfig: `<clickhouse>
      <tcp_port>${ports[index]}</tcp_port>
      <remote_servers><${CLUSTER}><secret>of the benchmark</secret>${shards.join('')}</${CLUSTER}></remote_servers>
    </clickhouse>`,
    onCrash: (lastWords) => void process.stderr.write(`ClickHouse ended: ${lastWords}\n`),
  });
  await withClient(server, 'default', (client) => client.command({ query: 'SYSTEM START LISTEN TCP' }));
  return server;
}

async function measure(servers: readonly EmbeddedServer[], { rows, rounds }: BarrierOptions): Promise<void> {
  const now = new Date();
  const endpoint = (await loadEndpoints(ENDPOINTS_FOLDER)).find('logs.all');
  const [first] = servers;
  if (!endpoint || !first) throw new Error('there is no endpoint logs.all');
  await makeRows(servers, first, rows, now);
  print(`${cpus().length} cores, ${cpus()[0]?.model ?? ''}; node ${process.version}; ${rounds} calls each`);
  for (const database of [ONE_SERVER, TWO_SHARDS]) {
    const costs = await withClient(first, database, (client) => {
      const runQuery = createQueryRunner(client, { timeoutMs: TIMEOUT_MS }, { skipsShards: true });
      return measureBarrier(runQuery, endpoint, now, rounds);
    });
    print(`\n${database}, ${rows.toLocaleString('en')} rows\n\n${barrierTable(costs)}`);
  }
}

async function makeRows(
  servers: readonly EmbeddedServer[],
  first: EmbeddedServer,
  rows: number,
  now: Date,
): Promise<void> {
  for (const [index, server] of servers.entries()) {
    await withClient(server, 'default', async (client) => {
      const shard = { index, of: servers.length };
      await makeEdgeLogs(client, 'default.edge_logs_local', { rows, now, shard });
    });
  }
  await withClient(first, 'default', async (client) => {
    for (const database of [ONE_SERVER, TWO_SHARDS]) {
      await client.command({ query: `CREATE DATABASE ${database}` });
    }
    await makeEdgeLogs(client, `${ONE_SERVER}.edge_logs`, { rows, now });
    await client.command({
      query: `CREATE TABLE ${TWO_SHARDS}.edge_logs AS default.edge_logs_local
        ENGINE = Distributed(${CLUSTER}, default, edge_logs_local, ${SHARDING_KEY})`,
    });
  });
}

async function withClient<Result>(
  server: EmbeddedServer,
  database: string,
  use: (client: ClickHouseClient) => Promise<Result>,
): Promise<Result> {
  const connection = { ...server.adminConnection, database };
  const client = connectClickHouse(connection, { maxOpenConnections: 2, requestTimeoutMs: TIMEOUT_MS });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
