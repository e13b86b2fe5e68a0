import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';

import { connectClickHouse, type ClickHouseConnection } from '../../src/clickhouse/connection.js';
import { EmbeddedServer } from '../../src/clickhouse/embedded/embedded-server.js';
import { migrate } from '../../src/clickhouse/schema/migrate.js';
import { readMigrations } from '../../src/clickhouse/schema/migration-files.js';
import { READER_USER_FILE, SCHEMA_FOLDER } from '../../src/project-files.js';
import { openDdlRelay } from './ddl-relay.js';
import { pollUntil } from './poll-until.js';

/** Name of the cluster in `remote_servers`. */
export const CLUSTER = 'lab';

/** One server of the cluster, which is one of its shards. */
export interface Shard {
  readonly admin: ClickHouseConnection;
  readonly reader: ClickHouseConnection;
  /** Runs a statement as the administrator, and gives its rows, a line each, columns separated by tabs. */
  readonly ask: (query: string, settings?: Readonly<Record<string, string>>) => Promise<readonly string[]>;
  /** Holds its process as it is: connections are taken, and nothing is answered. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends its process at once. */
  readonly kill: () => void;
  /** Resolves when the shard, whatever was done to it, is reachable for the others again. */
  readonly recovered: () => Promise<void>;
}

/** Two real servers as two shards of a cluster, with the schema. */
export interface ShardedServers {
  /** Every query of a gateway goes to the first, which asks the second. */
  readonly shards: readonly [Shard, Shard];
  /** What `npm run migrate` talks to: the first server, with a stand-in for `ON CLUSTER` before it. */
  readonly migrating: ClickHouseConnection;
  readonly close: () => Promise<void>;
}

/** @param folder where both keep their data. */
export async function startShardedServers(folder: string): Promise<ShardedServers> {
  const ports = [await freePort(), await freePort()] as const;
  const first = await startShard(folder, ports, 0);
  const second = await startShard(folder, ports, 1);
  const relay = await openDdlRelay([first.shard.admin, second.shard.admin]);
  const migrating = { ...first.shard.admin, url: relay.url };
  const close = async (): Promise<void> => {
    await relay.close();
    for (const { shard, server } of [first, second]) {
      shard.thaw();
      await server.stop();
    }
  };
  try {
    const migrations = await readMigrations(SCHEMA_FOLDER);
    await migrate({ connection: migrating, cluster: CLUSTER, migrations });
  } catch (error) {
    await close();
    throw error;
  }
  return { shards: [first.shard, second.shard], migrating, close };
}

async function startShard(
  folder: string,
  ports: readonly number[],
  index: number,
): Promise<{ readonly shard: Shard; readonly server: EmbeddedServer }> {
  const server = await EmbeddedServer.start({
    dataDir: path.join(folder, `shard-${index + 1}`),
    database: 'logs',
    readerUserFile: READER_USER_FILE,
    onCrash: () => undefined,
    extraConfig: clusterConfig(ports, index),
  });
  const { adminConnection: admin, readerConnection: reader } = server;
  const ask = asking(admin);
  // Before the first migration there is no database of the gateway's yet.
  const listen = (): Promise<unknown> => asking({ ...admin, database: 'default' })('SYSTEM START LISTEN TCP');
  await listen();
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (server.pid !== undefined) process.kill(server.pid, name);
    } catch (error) {
      // It has ended, and is about to be started again.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const shard: Shard = {
    admin,
    reader,
    ask,
    freeze: () => {
      signal('SIGSTOP');
    },
    thaw: () => {
      signal('SIGCONT');
    },
    kill: () => {
      signal('SIGKILL');
    },
    recovered: async () => {
      signal('SIGCONT');
      // The embedded server starts its process again, which listens for HTTP alone.
      await pollUntil(
        `shard ${index + 1} is back`,
        async () => (await listen().catch(() => undefined)) ?? undefined,
        60_000,
      );
    },
  };
  return { shard, server };
}

/** What docs/clusters.md has for a server of the cluster, as far as this engine knows it. */
function clusterConfig(ports: readonly number[], index: number): string {
  const shards = ports.map(
    (port) =>
      `<shard><internal_replication>true</internal_replication>` +
      `<replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  return `<clickhouse>
    <tcp_port>${ports[index]}</tcp_port>
    <macros><shard>${index + 1}</shard><replica>1</replica></macros>
    <remote_servers><${CLUSTER}><secret>of the tests</secret>${shards.join('')}</${CLUSTER}></remote_servers>
  </clickhouse>`;
}

function asking(connection: ClickHouseConnection): Shard['ask'] {
  return async (query, settings = {}) => {
    const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 60_000 });
    try {
      const { stream } = await client.exec({ query, clickhouse_settings: { ...settings } });
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    } finally {
      await client.close();
    }
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
