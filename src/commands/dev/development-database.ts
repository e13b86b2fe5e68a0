import { prepareDatabase } from '../demo-data/prepare-database.js';
import type { OwnServer } from '../../gateway/server/own-server.js';
import type { Config } from '../../gateway/config/config.js';

/** Applies the schema files that are new, and returns their names. @throws Error where a file is invalid or differs */
export async function migrateDevelopment(
  { project, clickhouse }: Config,
  { adminConnection }: OwnServer,
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
