import { connectClickHouse } from '../../gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import { readConfig, type Config } from '../../gateway/config/config.js';
import { externalConnection } from '../cli/external-connection.js';
import { CommandError, EXIT } from '../cli/exit-codes.js';
import { hasOwnData, withOwnServer } from '../cli/own-data.js';
import type { ProjectFile } from '../cli/project/write-new-file.js';
import { interruptible, printWarning } from '../cli/run-command.js';
import { withTemporaryServer } from '../cli/temporary-server.js';
import { introspectTable } from './introspect.js';
import { NotCarriedOver } from './query-draft.js';

const REQUEST_TIMEOUT_MS = 30_000;

/**
 * The file of an endpoint over a table of the project, whose columns ClickHouse describes. Prints what the endpoint leaves out.
 *
 * @throws CommandError where the table does not exist, or no endpoint can be made of it.
 */
export async function endpointOfTable(
  name: string,
  table: string,
  signal: AbortSignal,
): Promise<ProjectFile> {
  return withSchema(readConfig(process.env), signal, async (connection) => {
    const client = connectClickHouse(connection, {
      maxOpenConnections: 4,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    });
    try {
      const tools = { client, now: () => new Date(), signal };
      const { file, leftOut, since } = await introspectTable(tools, connection.database, name, table);
      for (const reason of leftOut) printWarning(`left out: ${reason}`);
      if (since !== undefined)
        process.stderr.write(`The newest rows are older than the default of since: set since=${since}\n`);
      return file;
    } catch (error) {
      if (!(error instanceof NotCarriedOver)) throw error;
      throw new CommandError(`${table}: ${error.message}. Nothing was written.`, EXIT.failed, {
        cause: error,
      });
    } finally {
      await client.close();
    }
  });
}

/** Runs a task on the server that has the project's tables, as `check` does; on a temporary one without rows. */
async function withSchema<T>(
  config: Config,
  signal: AbortSignal,
  task: (connection: ClickHouseConnection) => Promise<T>,
): Promise<T> {
  const { clickhouse, project } = config;
  if (clickhouse.kind === 'external') {
    return interruptible(signal, async () => task(await externalConnection(clickhouse)));
  }
  if (hasOwnData(config)) {
    return withOwnServer(config, ({ admin }) => interruptible(signal, () => task(admin)));
  }
  return withTemporaryServer(clickhouse.database, signal, async ({ adminConnection }) => {
    await prepareDatabase(adminConnection, { schemaFolder: project.schemaFolder, demo: undefined });
    return task(adminConnection);
  });
}
