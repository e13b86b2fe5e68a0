import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ClickHouseConnection } from '../../clickhouse/connection.js';
import { prepareDatabase } from '../../clickhouse/demo-data/prepare-database.js';
import { EmbeddedServer } from '../../clickhouse/embedded/embedded-server.js';
import type { Config } from '../../config/config.js';
import { externalConnection } from '../external-connection.js';
import { interruptible } from '../run-command.js';

/** Runs a task on the first configured server that responds, else on a temporary server with demonstration data. */
export async function withClickHouse<T>(
  { clickhouse, project }: Config,
  signal: AbortSignal,
  task: (connection: ClickHouseConnection) => Promise<T>,
): Promise<T> {
  if (clickhouse.kind === 'external') {
    return interruptible(signal, async () => task(await externalConnection(clickhouse)));
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-check-'));
  let server: EmbeddedServer | undefined;
  try {
    server = await EmbeddedServer.start({
      dataDir: folder,
      database: clickhouse.database,
      readerUserFile: path.join(project.schemaFolder, 'users.d', 'querygate.xml'),
      onCrash: () => undefined, // The task's queries fail and report it.
    });
    const { adminConnection, readerConnection } = server;
    return await interruptible(signal, async () => {
      const { schemaFolder, demoFolder } = project;
      await prepareDatabase(adminConnection, {
        schemaFolder,
        demo: { folder: demoFolder, upTo: new Date() },
      });
      // As the read-only user of the gateway, because its rights are checked too.
      return task(readerConnection);
    });
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
