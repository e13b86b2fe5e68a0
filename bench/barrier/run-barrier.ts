import path from 'node:path';

import type { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { endpointNamed } from '../data/endpoint-queries.js';
import { formatCount, print, printMachine } from '../measuring/print.js';
import type { Stage } from '../stage.js';
import { makeEdgeLogs, SHARDING_KEY } from './barrier-data.js';
import { measureBarrier } from './measure-barrier.js';
import { referenceEndpoints } from '../reference-project.js';

const CLUSTER = 'bench';
/** Databases of the first server: one has all rows, the other a table over both shards. */
const ONE_SERVER = 'one_server';
const TWO_SHARDS = 'two_shards';
const TIMEOUT_MS = 600_000;

/** Measures the cost of the barrier around a caller's SQL on one server and on two shards; prints a table for each. */
export async function runBarrier(
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
  stage: Stage,
): Promise<void> {
  const endpoint = endpointNamed(await referenceEndpoints(), 'logs.all');
  const now = new Date();
  const { adminConnection } = await makeShards(stage, rows, now);
  printMachine(`${rounds} calls each`);
  for (const database of [ONE_SERVER, TWO_SHARDS]) {
    const client = stage.connect({ ...adminConnection, database });
    const runQuery = createQueryRunner(client, { timeoutMs: TIMEOUT_MS }, { skipsShards: true });
    print(`\n${database}, ${formatCount(rows)} rows`);
    await measureBarrier(runQuery, endpoint, now, rounds);
  }
}

/** Starts two shards with half of the rows each; returns the first, which also has all rows in another database. */
async function makeShards(stage: Stage, rows: number, now: Date): Promise<EmbeddedServer> {
  const ports = [await freePort(), await freePort()] as const;
  const first = await startShard(stage, ports, 0);
  const shards = [first, await startShard(stage, ports, 1)];
  for (const [index, { adminConnection }] of shards.entries()) {
    const shard = { index, of: shards.length };
    await makeEdgeLogs(stage.connect(adminConnection), 'default.edge_logs_local', { rows, now, shard });
  }
  const client = stage.connect(first.adminConnection);
  for (const database of [ONE_SERVER, TWO_SHARDS])
    await client.command({ query: `CREATE DATABASE ${database}` });
  await makeEdgeLogs(client, `${ONE_SERVER}.edge_logs`, { rows, now });
  await client.command({
    query: `CREATE TABLE ${TWO_SHARDS}.edge_logs AS default.edge_logs_local
      ENGINE = Distributed(${CLUSTER}, default, edge_logs_local, ${SHARDING_KEY})`,
  });
  return first;
}

async function startShard(
  stage: Stage,
  ports: readonly [number, number],
  index: 0 | 1,
): Promise<EmbeddedServer> {
  const shards = ports.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  const server = await stage.startClickHouse({
    dataDir: path.join(stage.folder, `shard-${index}`),
    database: 'default',
    extraConfig: `<clickhouse>
      <tcp_port>${ports[index]}</tcp_port>
      <remote_servers><${CLUSTER}><secret>of the benchmark</secret>${shards.join('')}</${CLUSTER}></remote_servers>
    </clickhouse>`,
  });
  await stage.connect(server.adminConnection).command({ query: 'SYSTEM START LISTEN TCP' });
  return server;
}
