import type { ClickHouseConnection } from '../../../gateway/clickhouse/connection.js';
import { prepareDatabase } from '../../demo-data/prepare-database.js';
import { grantReader, readerGrants } from '../../embedded/grant-reader.js';
import type { NeededGrants } from '../../grants/needed-grants.js';
import type { Config } from '../../../gateway/config/config.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { externalConnection } from '../external-connection.js';
import { hasOwnData, withOwnServer, type OwnServer } from '../own-data.js';
import { interruptible } from '../run-command.js';
import { withTemporaryServer } from '../temporary-server.js';

/** A server on which endpoints are checked. */
export interface CheckedOn {
  readonly connection: ClickHouseConnection;
  /** The grants that the endpoints need, where the gateway itself gives them. */
  readonly needed?: NeededGrants;
  /** Whose rows the examples find: those of `CLICKHOUSE_URL`, of the data folder, or demonstration data alone. */
  readonly data: 'external' | 'own' | 'demonstration';
}

export interface CheckedServerOptions {
  /** Whether to check on a temporary server, even where the project has data. */
  readonly demo: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a task on the first configured server that responds; else on the project's own data, through the gateway that serves it, if
 * one runs; else on a temporary server with demonstration data. Queries run as a reader that has exactly the grants that the
 * endpoints need, but through a running gateway's server, where they run as its administrator.
 */
export async function withClickHouse<T>(
  config: Config,
  endpoints: readonly Endpoint[],
  { demo, signal }: CheckedServerOptions,
  task: (on: CheckedOn) => Promise<T>,
): Promise<T> {
  const { clickhouse, project } = config;
  const { schemaFolder, demoFolder } = project;
  if (clickhouse.kind === 'external' && !demo) {
    return interruptible(signal, async () =>
      task({ connection: await externalConnection(clickhouse), data: 'external' }),
    );
  }
  if (hasOwnData(config) && !demo) {
    return withOwnServer(config, (server) =>
      interruptible(signal, async () => task({ ...(await onOwnData(server)), data: 'own' })),
    );
  }
  return withTemporaryServer(clickhouse.database, signal, async (server) => {
    const demoData = { folder: demoFolder, upTo: new Date() };
    await prepareDatabase(server.adminConnection, { schemaFolder, demo: demoData });
    const needed = await grantReader(server, schemaFolder, endpoints);
    return task({ connection: server.readerConnection, needed, data: 'demonstration' });
  });

  async function onOwnData({ admin, started }: OwnServer): Promise<Omit<CheckedOn, 'data'>> {
    if (!started) {
      return { connection: admin, needed: await readerGrants(admin, schemaFolder, endpoints) };
    }
    // As the next start of the gateway does.
    await prepareDatabase(admin, { schemaFolder, dataDir: config.dataDir });
    const needed = await grantReader(started, schemaFolder, endpoints);
    return { connection: started.readerConnection, needed };
  }
}
