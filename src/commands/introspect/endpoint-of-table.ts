import { readConfig } from '../../gateway/config/config.js';
import { CommandError, EXIT } from '../cli/exit-codes.js';
import type { ProjectFile } from '../cli/project/write-new-file.js';
import { printWarning } from '../cli/run-command.js';
import { withClient } from '../clickhouse/with-client.js';
import { withServer } from '../clickhouse/with-server.js';
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
  const server = { sources: ['external', 'own', 'temporary'], signal } as const;
  return withServer(readConfig(process.env), server, ({ admin }) =>
    withClient(admin, REQUEST_TIMEOUT_MS, async (client) => {
      const tools = { client, now: () => new Date(), signal };
      const { file, leftOut, since } = await introspectTable(tools, admin.database, name, table);
      for (const reason of leftOut) printWarning(`left out: ${reason}`);
      if (since !== undefined)
        process.stderr.write(`The newest rows are older than the default of since: set since=${since}\n`);
      return file;
    }),
  ).catch((cause: unknown) => {
    if (!(cause instanceof NotCarriedOver)) throw cause;
    throw new CommandError(`${table}: ${cause.message}. Nothing was written.`, EXIT.failed, { cause });
  });
}
