import { withClient } from '../clickhouse/with-client.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import type { OwnServer } from '../../gateway/server/own-server.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Config } from '../../gateway/config/config.js';

type Server = Pick<OwnServer, 'adminConnection'>;

/** Applies the schema files that are new, and returns their names. @throws Error where a file is invalid or differs */
export async function migrateDevelopment(
  { project, clickhouse }: Config,
  { adminConnection }: Server,
): Promise<readonly string[]> {
  const applied: string[] = [];
  const fills = clickhouse.kind === 'embedded' && clickhouse.demoData;
  const connection = { ...adminConnection, database: clickhouse.database };
  await prepareDatabase(connection, {
    schemaFolder: project.schemaFolder,
    demo: fills ? { folder: project.demoFolder, upTo: new Date() } : undefined,
    onApplied: (file) => applied.push(file),
  });
  return applied;
}

/** Drops a database of an embedded server with all its tables. */
export async function dropDatabase({ adminConnection }: Server, database: string): Promise<void> {
  await withClient({ ...adminConnection, database: 'default' }, 60_000, (client) =>
    client.command({ query: `DROP DATABASE IF EXISTS ${quoteName(database)} SYNC` }),
  );
}
