import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { variable } from './clickhouse.js';
import { openDdlRelay } from './ddl-relay.js';
import { freezeProcess } from './freeze-process.js';
import { pollUntil } from './poll-until.js';
import { CLUSTER, listenForOthers, startShards } from './start-shards.mjs';
import { REFERENCE } from './reference-project.js';

export { CLUSTER };

/** Connections to one server of a cluster, which is one of its shards. */
export interface ShardConnections {
  readonly admin: ClickHouseConnection;
  readonly reader: ClickHouseConnection;
}

export interface Shard extends ShardConnections {
  /** Runs a statement as administrator, and returns one tab-separated line per row. */
  readonly select: (query: string, settings?: Readonly<Record<string, string>>) => Promise<readonly string[]>;
}

/** A shard of the test's own cluster, which the test may stop. */
export interface OwnShard extends Shard {
  /** Suspends its process: connections are accepted, but nothing responds. */
  readonly freeze: () => Promise<void>;
  /** Kills its process. */
  readonly kill: () => void;
  /** Resolves when the other shards can reach this one again. */
  readonly recovered: () => Promise<void>;
}

/** Two real servers as two shards of a cluster. */
export interface ShardedServers<Each extends Shard = Shard> {
  /** Gateways send every query to the first shard, which queries the second. */
  readonly shards: readonly [Each, Each];
  /** The URL for `npm run migrate`: the first server behind an emulation of `ON CLUSTER`. */
  readonly migrating: ClickHouseConnection;
  readonly close: () => Promise<void>;
}

/** The cluster that the tests of a run share, with a database that only one file uses. */
export async function openSharedCluster(database: string): Promise<ShardedServers> {
  const response = await fetch(variable('TEST_CLUSTER_URL'));
  if (!response.ok) throw new Error(await response.text());
  const [first, second] = (await response.json()) as readonly ShardConnections[];
  if (!first || !second) throw new Error('the cluster does not have two shards');
  const shardOf = ({ admin, reader }: ShardConnections): Shard => {
    const asAdmin = { ...admin, database };
    return { admin: asAdmin, reader: { ...reader, database }, select: selectOn(asAdmin) };
  };
  const dropDatabase = ({ admin }: ShardConnections): Promise<unknown> =>
    selectOn({ ...admin, database: 'default' })(`DROP DATABASE IF EXISTS ${database} SYNC`);
  return behindRelay([shardOf(first), shardOf(second)], () => Promise.all([first, second].map(dropDatabase)));
}

/**
 * Starts a cluster for one test.
 *
 * @param folder data folder of both servers.
 */
export async function startOwnCluster(folder: string): Promise<ShardedServers<OwnShard>> {
  const [first, second] = await startShards(EmbeddedServer, folder);
  return behindRelay([ownShard(first), ownShard(second)], async () => {
    for (const server of [first, second]) {
      signal(server, 'SIGCONT');
      await server.stop();
    }
  });
}

/** Creates the schema on a cluster. */
export async function applySchema({ migrating: connection }: ShardedServers): Promise<void> {
  await migrate({ connection, cluster: CLUSTER, schema: await readSchema(REFERENCE.schemaFolder) });
}

async function behindRelay<Each extends Shard>(
  shards: readonly [Each, Each],
  stop: () => Promise<unknown>,
): Promise<ShardedServers<Each>> {
  const relay = await openDdlRelay(shards.map(({ admin }) => admin));
  const migrating = { ...shards[0].admin, url: relay.url };
  const close = async (): Promise<void> => {
    await relay.close();
    await stop();
  };
  return { shards, migrating, close };
}

function ownShard(server: EmbeddedServer): OwnShard {
  const { adminConnection: admin, readerConnection: reader } = server;
  return {
    admin,
    reader,
    select: selectOn(admin),
    freeze: () => freezeProcess(server.pid ?? 0),
    kill: () => {
      signal(server, 'SIGKILL');
    },
    recovered: async () => {
      signal(server, 'SIGCONT');
      // The embedded server restarts its process, which listens for HTTP only.
      const listens = (): Promise<true | undefined> =>
        listenForOthers(server).then(
          () => true,
          () => undefined,
        );
      await pollUntil('the shard is reachable', listens, 60_000);
    },
  };
}

function signal({ pid }: EmbeddedServer, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch (error) {
    // The process has ended, and the embedded server is about to restart it.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function selectOn(connection: ClickHouseConnection): Shard['select'] {
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
