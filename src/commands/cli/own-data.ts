import { existsSync } from 'node:fs';
import path from 'node:path';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { EmbeddedServer } from '../embedded/embedded-server.js';
import { findRunningServer } from '../embedded/running-server.js';
import type { Config } from '../../gateway/config/config.js';

/** The embedded ClickHouse with the data of a project. */
export interface OwnServer {
  /** Of a user that may change data. */
  readonly admin: ClickHouseConnection;
  /** Undefined where the server is that of a gateway that runs. */
  readonly started: EmbeddedServer | undefined;
}

/** Whether a project has data of its own, because a gateway or `querygate load` made some. */
export const hasOwnData = ({ dataDir }: Pick<Config, 'dataDir'>): boolean =>
  existsSync(path.join(dataDir, 'clickhouse'));

/**
 * Runs a task on the embedded server of the data folder: that of a gateway that runs, else one that runs during the task.
 *
 * @throws Error where the folder is in use, or the server cannot start.
 */
export async function withOwnServer<T>(
  { clickhouse: { database }, dataDir }: Pick<Config, 'clickhouse' | 'dataDir'>,
  task: (server: OwnServer) => Promise<T>,
): Promise<T> {
  const running = await findRunningServer(dataDir);
  if (running) return task({ admin: { ...running, database }, started: undefined });
  const started = await EmbeddedServer.start({
    dataDir,
    database,
    onCrash: () => undefined, // The task's requests fail and report it.
  });
  try {
    return await task({ admin: started.adminConnection, started });
  } finally {
    await started.stop();
  }
}
