import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { firstRespondingServer } from '../../gateway/clickhouse/first-responding-server.js';
import type { Config } from '../../gateway/config/config.js';
import { runFirstQuery } from '../check/first-query.js';
import { interruptible } from '../cli/run-command.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import { withCopiedData } from '../embedded/copied-data.js';
import { EmbeddedServer } from '../embedded/embedded-server.js';
import { findRunningServer } from '../embedded/running-server.js';
import { withClient } from './with-client.js';

/** Of a query that reads nothing. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Where a command finds its data: on the servers of `CLICKHOUSE_URL`, in the data folder of the project, or on a temporary
 * embedded server with the schema.
 */
export type DataSource = 'external' | 'own' | 'temporary';

/** The ClickHouse that a command uses. */
export interface CommandServer {
  readonly source: DataSource;
  /** Connection of a user that may change data; for an external server, the configured user. */
  readonly admin: ClickHouseConnection;
  /** The embedded server that runs for this command; absent where it is external, or that of a gateway that runs. */
  readonly started?: EmbeddedServer;
}

/** How a command chooses its ClickHouse. */
export interface ServerOptions {
  /** Sources in order of preference. The first that exists is used; the last one is created where necessary. */
  readonly sources: readonly DataSource[];
  /** Whether a temporary server has demonstration data. */
  readonly demoData?: boolean;
  /** Whether the task gets a copy of the project's data where no gateway runs, which it may change. */
  readonly copiesOwn?: boolean;
  /** Ends the task. */
  readonly signal: AbortSignal;
}

/**
 * Runs a task on the ClickHouse that a command uses, which is stopped at its end where the command started it.
 *
 * @throws Error where no configured server responds, or it rejects the user, the data folder is in use, or the embedded server cannot start.
 */
export async function withServer<T>(
  config: Config,
  { sources, demoData = false, copiesOwn = false, signal }: ServerOptions,
  task: (server: CommandServer) => Promise<T>,
): Promise<T> {
  const { clickhouse, dataDir, project } = config;
  const { database } = clickhouse;
  const isThere = (source: DataSource): boolean =>
    source === 'external' ? clickhouse.kind === 'external' : source === 'temporary' || hasData(dataDir);
  const source = sources.find(isThere) ?? sources.at(-1);
  if (source === 'external' && clickhouse.kind === 'external') {
    const { urls, username, password } = clickhouse;
    const servers = urls.map((url) => ({ url, username, password, database }));
    return interruptible(signal, async () => {
      const admin = await firstRespondingServer(servers);
      // The task may create the database.
      await withClient({ ...admin, database: 'default' }, REQUEST_TIMEOUT_MS, (client) =>
        runFirstQuery(client, admin.url, signal),
      );
      return task({ source, admin });
    });
  }
  if (source === 'own') {
    const running = await findRunningServer(dataDir);
    if (running) return interruptible(signal, () => task({ source, admin: { ...running, database } }));
    const start = (folder: string): Promise<T> =>
      withStarted(folder, database, (server) => interruptible(signal, () => task({ source, ...server })));
    return copiesOwn ? withCopiedData(dataDir, start) : start(dataDir);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-check-'));
  const demo = demoData ? { folder: project.demoFolder, upTo: new Date() } : undefined;
  try {
    return await withStarted(folder, database, (server) =>
      interruptible(signal, async () => {
        await prepareDatabase(server.admin, { schemaFolder: project.schemaFolder, demo });
        return task({ source: 'temporary', ...server });
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether a gateway or a command has made data. */
export const hasData = (dataDir: string): boolean => existsSync(path.join(dataDir, 'clickhouse'));

async function withStarted<T>(
  dataDir: string,
  database: string,
  task: (server: Required<Omit<CommandServer, 'source'>>) => Promise<T>,
): Promise<T> {
  // A crash is reported by the requests of the task, which then fail.
  const started = await EmbeddedServer.start({ dataDir, database, onCrash: () => undefined });
  try {
    return await task({ admin: started.adminConnection, started });
  } finally {
    await started.stop();
  }
}
