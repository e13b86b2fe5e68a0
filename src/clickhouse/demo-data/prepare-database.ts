import { SCHEMA_FOLDER } from '../../project-files.js';
import { connectClickHouse, type ClickHouseConnection } from '../connection.js';
import { migrate, type MigrateOptions } from '../schema/migrate.js';
import { readMigrations } from '../schema/migration-files.js';
import { fillDemoData } from './fill-demo-data.js';

export interface PrepareOptions extends Pick<MigrateOptions, 'onApplied' | 'dataDir'> {
  /** End of the demonstration data for empty tables; absent: no demonstration data. */
  readonly demoDataUpTo?: Date | undefined;
  readonly onFilled?: (milliseconds: number) => void;
}

/** Applies the schema to a database on one server and, if requested, fills empty tables with demonstration data. */
export async function prepareDatabase(
  connection: ClickHouseConnection,
  { demoDataUpTo, dataDir, onApplied, onFilled }: PrepareOptions = {},
): Promise<void> {
  const migrations = await readMigrations(SCHEMA_FOLDER);
  await migrate({ connection, migrations, dataDir, ...(onApplied && { onApplied }) });
  if (!demoDataUpTo) return;
  const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 120_000 });
  try {
    const started = performance.now();
    if (await fillDemoData(client, demoDataUpTo)) onFilled?.(performance.now() - started);
  } finally {
    await client.close();
  }
}
